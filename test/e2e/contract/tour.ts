// Requests every answer of the OpenAPI document, by operation: sends a request, reads the whole answer, which the client
// compares with the document, and records which answers arrived.
// Invariant: an answer counts if it has the requested status and its body was read.
import { inject } from "vitest"
import { answerOf, type Operation, operations } from "../../support/contract/document.ts"
import { PerchClient, type RequestOptions } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { promptFor, scriptName } from "../../support/session/scripts.ts"

const shared = inject("shared")
export const root = new PerchClient(shared)
export const api = new ApiLog(shared.apiUrl)

type Values = Readonly<Record<string, string | number>>
type Json = Readonly<Record<string, unknown>>

export interface Asked extends RequestOptions {
  readonly params?: Values
  readonly query?: Values
  readonly as?: PerchClient
  /** A stream is read until a frame's data contains this text, and otherwise to its end. */
  readonly until?: string
}

export interface Got {
  readonly text: string
  readonly json: Json
  readonly headers: Headers
}

const byId = new Map(operations.map((operation) => [operation.id, operation]))

/** `OPERATION STATUS TYPE` of each answer so far. */
const answered = new Set<string>()

/** The path and query of a request. */
export const routeOf = ({ path }: Operation, params: Values = {}, query: Values = {}): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (params[name] === undefined) throw new Error(`${path} needs ${name}`)
    return name === "path" ? String(params[name]) : encodeURIComponent(params[name])
  })
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return search.size === 0 ? filled : `${filled}?${search}`
}

/** An answer's text: to its end, or until it contains `until`. */
const readText = async (response: Response, until?: string): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (until !== undefined && text.includes(until)) return text
    }
  } catch (cause) {
    throw new Error(`the answer was not read to its end: ${text.slice(-2000)}`, { cause })
  }
  if (until !== undefined) throw new Error(`the stream ended without ${until}: ${text.slice(-2000)}`)
  return text
}

/** Requests the answer of an operation with that status. */
export const ask = async (id: string, status: number, asked: Asked = {}): Promise<Got> => {
  const operation = byId.get(id)
  if (operation === undefined) throw new Error(`the document has no operation ${id}`)
  const { params, query, as = root, until, ...options } = asked
  const response = await as.request(operation.method, routeOf(operation, params, query), options)
  const text = await readText(response, until)
  if (response.status !== status) throw new Error(`${id}: ${response.status}, not ${status}: ${text.slice(0, 2000)}`)
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? ""
  const described = Object.keys(answerOf(operation, status)?.content ?? {})
  answered.add(
    [id, status, ...(described.includes(type) ? [type] : described.includes("*/*") ? ["*/*"] : [])].join(" "),
  )
  return { text, headers: response.headers, json: type === "application/json" ? (JSON.parse(text) as Json) : {} }
}

/** Records an answer that was received in another way. */
export const sawAnswer = (...answer: readonly [id: string, status: number, type?: string]): void =>
  void answered.add(answer.join(" "))

/** Every success answer of the document that has not arrived. */
export const unanswered = (): ReadonlyArray<string> =>
  operations
    .flatMap((operation) =>
      Object.keys(operation.responses)
        .filter((status) => Number(status) < 400)
        .flatMap((status) => {
          const types = Object.keys(answerOf(operation, Number(status))?.content ?? {})
          return (types.length === 0 ? [[]] : types.map((type) => [type])).map((type) =>
            [operation.id, status, ...type].join(" "),
          )
        }),
    )
    .filter((answer) => !answered.has(answer))

/** A client of a new tenant with all rights. */
export const tenant = async (): Promise<{ readonly name: string; readonly client: PerchClient }> => {
  const name = scriptName("contract")
  const scopes = ["sessions:read", "sessions:write", "answer", "files", "bypass", "tickets", "admin"]
  const { json } = await ask("createKey", 201, { json: { tenant: name, scopes } })
  return { name, client: root.withKey(String(json["key"])) }
}

/** A prompt that the model answers with these steps. */
export const scripted = async (...steps: ReadonlyArray<unknown>): Promise<string> =>
  promptFor(await api.add("contract", steps))
