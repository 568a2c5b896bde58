// Receives a request of an MCP server to Perch; asks hooks, then the session's clients, and returns the response.
// Invariant: every request gets a response. An elicitation is an ask of the running turn, or of no turn when none runs, so
// that any client may answer it; what can't be asked is declined, never made up.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toolName } from "../../mcp/names.ts"
import { serverName } from "../../schemas/sdk/tools/mcp-names.ts"
import type { ServerRequest } from "../../mcp/remote/remote-pipe.ts"
import type { RequestFacts } from "../../mcp/remote/server-requests.ts"
import { systemMessage } from "../../agent/messages/sdk-messages.ts"
import { isForm } from "../asks/elicited-form.ts"
import type { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { noAnswer } from "../asks/ask-answers.ts"
import type { SessionCore } from "../core.ts"
import { logLine } from "../server-log.ts"
import type { AskRow } from "../storage/ask-store.ts"
import { canAsk } from "../feed/wanted.ts"
import { fireOutsideTurn, type FireParts } from "../hooks/hooks-outside-turn.ts"
import type { HookOutcome } from "../../hooks/outcome.ts"
import type { FiredHookEvent } from "../../schemas/sdk/status/hook-status.ts"
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../../mcp/error-codes.ts"

const MAX_MESSAGE = 20_000
const MAX_URL = 8192

const Elicit = Schema.Struct({
  message: Schema.String.check(Schema.isMaxLength(MAX_MESSAGE)),
  mode: Schema.optionalKey(Schema.Literals(["form", "url"])),
  url: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(MAX_URL))),
  elicitationId: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1000))),
  requestedSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
})

const Answer = Schema.Struct({
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
})
type Answer = typeof Answer.Type

/** The JSON-RPC response to a server's own request. */
export const answerServer = async (
  parts: FireParts,
  server: string,
  message: ServerRequest,
  about: RequestFacts,
): Promise<JsonRpcMessage> => {
  const reply = <Body>(body: Body) => ({ jsonrpc: "2.0", id: message.id, ...body }) as const
  if (message.method === "ping") return reply({ result: {} })
  if (message.method !== "elicitation/create") {
    return reply({ error: { code: METHOD_NOT_FOUND, message: "Perch does not support this method for MCP servers" } })
  }
  const asked = Schema.decodeUnknownResult(Elicit)(message.params)
  const problem = asked._tag === "Failure" ? NEEDS_FIELDS : problemOf(asked.success)
  if (asked._tag === "Failure" || problem !== undefined) {
    return reply({ error: { code: INVALID_PARAMS, message: problem ?? NEEDS_FIELDS } })
  }
  const result: object = await elicit(parts, server, asked.success, about)
  return reply({ result })
}

const NEEDS_FIELDS = "an elicitation needs a message and a schema or a url"

/** Why an elicitation can't be shown to a user; undefined when it can. */
const problemOf = ({ mode, url, requestedSchema }: typeof Elicit.Type): string | undefined => {
  if (mode === "url") {
    const { protocol } = url !== undefined && URL.canParse(url) ? new URL(url) : { protocol: "" }
    return protocol === "https:" || protocol === "http:" ? undefined : "the url of an elicitation must be http or https"
  }
  return requestedSchema === undefined || isForm(requestedSchema)
    ? undefined
    : "the schema of an elicitation must be an object of texts, numbers, booleans and choices"
}

const elicit = async (
  parts: FireParts,
  server: string,
  asked: typeof Elicit.Type,
  about: RequestFacts,
): Promise<Answer> => {
  const facts = {
    mcp_server_name: server,
    message: asked.message,
    mode: asked.mode ?? "form",
    ...(asked.url === undefined ? {} : { url: asked.url }),
    ...(asked.elicitationId === undefined ? {} : { elicitation_id: asked.elicitationId }),
    ...(asked.requestedSchema === undefined ? {} : { requested_schema: asked.requestedSchema }),
  }
  const decided = decisionOf(await fire(parts, "Elicitation", facts))
  // As in the official SDK, an answer of an Elicitation hook is used as it is: no client and no ElicitationResult hook is asked.
  if (decided !== null) return decided
  const given = await askClients(parts.core, facts, about)
  const { message: _m, url: _u, requested_schema: _s, ...rest } = facts
  const answer = decisionOf(await fire(parts, "ElicitationResult", { ...rest, ...given })) ?? given
  await notify(parts, "response", `The answer to MCP server "${server}" is: ${answer.action}`)
  return answer
}

const fire = async (
  parts: FireParts,
  name: FiredHookEvent,
  facts: Readonly<Record<string, unknown>>,
): Promise<HookOutcome> => {
  const { event, outcome } = await fireOutsideTurn(parts, name, facts)
  parts.core.append([event])
  return outcome
}

const decisionOf = ({ block, elicitation }: HookOutcome): Answer | null => (block === null ? elicitation : DECLINED)

const notify = (parts: FireParts, of: "response" | "complete", message: string): Promise<HookOutcome> =>
  fire(parts, "Notification", { message, notification_type: `elicitation_${of}` })

/** How long an elicitation outside turns waits for its answer. */
const OUTSIDE_MS = 3_600_000

const DECLINED: Answer = { action: "decline" }
const CANCELLED: Answer = { action: "cancel" }

/** Opens an ask and waits for its answer, until the server withdraws its request. */
const askClients = async (
  core: SessionCore,
  facts: Readonly<Record<string, unknown>> & { readonly mcp_server_name: string; readonly message: string },
  { call, signal }: RequestFacts,
): Promise<Answer> => {
  if (!canAsk(core)) return DECLINED
  if (signal.aborted) return CANCELLED
  const { asks, askStore, context, mcp } = core
  const server = facts.mcp_server_name
  const requestId = context.newUuid()
  const ask = {
    request_id: requestId,
    kind: "elicitation" as const,
    tool_name: call === undefined ? serverName(server) : toolName(server, call.tool),
    tool_use_id: call?.toolUseId ?? "",
    input: facts,
    mcp_server: { name: server, source: mcp.sourceOf(server) },
  }
  const turn = runningTurn(core)
  if (turn === null) asks.open(requestId, { ...ask, detached: true }, [], OUTSIDE_MS)
  else asks.open(turn, ask, [])
  const exit = await Effect.runPromiseExit(askStore.answerTo(requestId), { signal })
  const answer = Schema.decodeUnknownResult(Answer)(exit._tag === "Success" ? exit.value.answer : undefined)
  if (answer._tag === "Success") return answer.success
  const open = askStore.open.filter((row) => row.requestId === requestId)
  asks.settle(open, { by: "interrupt", answer: noAnswer("elicitation", "") })
  return CANCELLED
}

const runningTurn = ({ asks, inbox }: SessionCore): string | null => {
  const head = inbox.head()
  return head !== undefined && asks.hasBegun(head.turn) ? head.turn : null
}

/**
 * As the official SDK: notifies clients and hooks that the page of an elicitation is done. Its ask, if it is still open, is
 * accepted.
 */
export const announcePageDone = (parts: FireParts, server: string, elicitationId: string): void => {
  const { core } = parts
  const isOfPage = ({ ask }: AskRow) =>
    ask.kind === "elicitation" &&
    ask.authorization !== true &&
    ask.mcp_server?.name === server &&
    ask.input["elicitation_id"] === elicitationId
  core.asks.settle(core.askStore.open.filter(isOfPage), { by: "client", answer: { action: "accept" } })
  const head = core.inbox.head()
  if (head === undefined) return
  const { context, id } = core
  const stamp = { sessionId: id, turn: head.turn, uuid: context.newUuid(), at: context.now() }
  core.append([
    systemMessage(stamp, "elicitation_complete", {
      mcp_server_name: server,
      elicitation_id: elicitationId.slice(0, 1000),
    }),
  ])
  const notified = notify(parts, "complete", `MCP server "${server}" has completed a page that it asked to visit`)
  context.keepAlive(
    notified.catch((error: unknown) => logLine("error", "a completed page was not recorded", { session: id, error })),
  )
}
