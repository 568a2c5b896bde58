// The envelope of Cloudflare's API: `{success, result, errors, messages}`.
import type { AccountState, Permission } from "./state.ts"

/** A request that reached the fake, with its body read. */
export type ApiRequest = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Buffer
  readonly type: string
  readonly state: AccountState
}

export type ApiAnswer = { readonly status: number; readonly body: unknown }

export const ok = (result: unknown, info?: unknown): ApiAnswer => ({
  status: 200,
  body: { success: true, result, errors: [], messages: [], ...(info === undefined ? {} : { result_info: info }) },
})

export const refuse = (status: number, code: number, message: string): ApiAnswer => ({
  status,
  body: { success: false, result: null, errors: [{ code, message }], messages: [] },
})

/** A page of a list, as requested by `page` and `per_page` in the query. */
export const page = (items: ReadonlyArray<unknown>, query: URLSearchParams): ApiAnswer => {
  const size = Number(query.get("per_page") ?? 20)
  const number = Number(query.get("page") ?? 1)
  const part = items.slice((number - 1) * size, number * size)
  return ok(part, { page: number, per_page: size, count: part.length, total_count: items.length })
}

export const json = (request: ApiRequest): Record<string, unknown> => JSON.parse(request.body.toString("utf8"))

/** One row of a router: the permission that it requires, the method, the path below the account, and the handler. */
export type Route = readonly [
  permission: Permission,
  method: string,
  pattern: RegExp,
  answer: (request: ApiRequest, ...parts: Array<string>) => ApiAnswer | Promise<ApiAnswer>,
]
