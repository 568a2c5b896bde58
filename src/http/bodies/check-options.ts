// Receives the session options in a request's decoded body, whatever its route, and its caller; refuses the request when Perch
// can't honour an option or the caller may not set it.
// Invariant: the options of every route are checked here before its handler runs, so that no unchecked option reaches a
// session; the refusal lists every issue, and no model request was sent.
import * as Effect from "effect/Effect"
import { optionIssues } from "../../schemas/sdk/options/option-issues.ts"
import { agentServerIssues, serverIssues } from "../../mcp/remote/server-rules.ts"
import { fetchSettings, type FetchSettings } from "../../net/guarded-fetch.ts"
import type { Env } from "../../schemas/env.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { resolvedHookIssues, unresolvedHookIssues } from "./check-hooks.ts"
import { type ApiError, invalidFields } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"

/** The options of a body: its `options`, and the top-level `model` and `permissionMode` of `PATCH` and other routes. */
export const sentOptions = (body: unknown): SessionOptions | undefined => {
  if (typeof body !== "object" || body === null) return undefined
  const { options, model, permissionMode } = body as {
    // Every route with these fields decodes them with the schemas of these types.
    readonly options?: SessionOptions
    readonly model?: string
    readonly permissionMode?: SessionOptions["permissionMode"]
  }
  if (options === undefined && model === undefined && permissionMode === undefined) return undefined
  return {
    ...options,
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
  }
}

/** Fails with all issues of the options. */
export const checkOptions = Effect.fnUntraced(function* (
  options: SessionOptions | undefined,
  { env }: Caller,
): Effect.fn.Return<void, ApiError> {
  if (options === undefined) return
  const { agents, hooks, mcpServers } = options
  const issues = [
    ...optionIssues(options),
    ...(hooks === undefined ? [] : unresolvedHookIssues(hooks, env)),
    ...(mcpServers === undefined ? [] : serverIssues("options.mcpServers", mcpServers, remoteSettings(env))),
    ...(agents === undefined ? [] : agentServerIssues("options.agents", agents, remoteSettings(env))),
  ]
  if (issues.length > 0) return yield* invalidFields(issues)
  // Host names are resolved only when nothing else is wrong with the options.
  const resolved = hooks === undefined ? [] : yield* resolvedHookIssues(hooks, env)
  if (resolved.length > 0) return yield* invalidFields(resolved)
})

/** The addresses at which MCP servers may be: the same as those that may be fetched from. */
export const remoteSettings = (env: Env): FetchSettings =>
  fetchSettings(env.PERCH_FETCH_ALLOW, env.PERCH_FETCH_RESOLVER)
