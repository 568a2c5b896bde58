// `POST /v1/ag-ui`: runs the agent for a client of the AG-UI protocol. Receives the run's input; answers with the run's events.
// Invariants: a refusal of the session is answered with its status before any stream starts; a run that is sent again
// repeats no effect, and its events are sent from the beginning.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RunAgentInput } from "../../../schemas/api/ag-ui/run-input.ts"
import { isUuid, uuidV8 } from "../../../schemas/ids.ts"
import { isPlainObject } from "../../../schemas/plain-object.ts"
import { SessionOptions } from "../../../schemas/sdk/options/options.ts"
import { AgUiView } from "../../../views/ag-ui/ag-ui-view.ts"
import { QueuedRunView } from "../../../views/ag-ui/queued-run.ts"
import type { RequestedRun } from "../../../views/ag-ui/requested-run.ts"
import { readFact } from "../../../views/live/fact-line.ts"
import { answerOf } from "../../../views/ag-ui/interrupts.ts"
import { checkOptions } from "../../bodies/check-options.ts"
import { decodeBody } from "../../bodies/decode.ts"
import { checkPromptSize } from "../../bodies/prompt-size.ts"
import { contract } from "../../contract/contract.ts"
import { type ApiError, invalidField, unexpected } from "../../errors/errors.ts"
import { callObject } from "../../object-call.ts"
import { renamedFields } from "../../errors/renamed-fields.ts"
import { acting, type App, type Caller, handle } from "../../handle.ts"
import { hashOf } from "../../idempotency/request-name.ts"
import { type Asked, askedCalls } from "../../sessions/asked-calls.ts"
import {
  instructionsOf,
  type NewInput,
  newInputOf,
  optionsOf,
  promptOf,
  repeatedResults,
  resultOf,
  upToCall,
} from "../../sessions/ag-ui-input.ts"
import { callSession, submitOrCreate } from "../../sessions/session-call.ts"
import { newSession } from "../../sessions/session-opening.ts"
import { feedOf } from "../../socket/feed-socket.ts"
import { mediaOf } from "../../stream/media-source.ts"
import { sseResponse } from "../../stream/sse-response.ts"
import { FactsView } from "../../stream/views.ts"
import { turnHeaders } from "../turn-routes.ts"

export const agUiRoutes = (app: App): void =>
  handle(
    app,
    contract.runAgUi,
    Effect.fnUntraced(function* ({ body }, caller) {
      const { tenant } = caller
      const id = yield* named(body.threadId, "ag-ui-thread", tenant)
      const fresh = newInputOf(body)
      const answers = yield* answersOf(caller, id, body, fresh)
      yield* sendAnswers(caller, id, answers.asks)
      const isPrompt = answers.asks.length === 0 || (!fresh.answered && fresh.prompt.length > 0)
      const {
        messages,
        begins,
        turn,
        after,
        kept = [],
      } = isPrompt
        ? yield* beginTurn(caller, id, body, fresh, answers.late)
        : yield* continueRun(caller, id, body, answers.asks)
      return yield* streamRun(caller, id, {
        turn,
        after,
        late: answers.late,
        run: {
          threadId: body.threadId,
          runId: body.runId,
          begins,
          answered: new Set([...fresh.results, ...kept].map(({ toolCallId }) => toolCallId)),
          ...(body.parentRunId === undefined ? {} : { parentRunId: body.parentRunId }),
          ...(body.protocolVersion === undefined ? {} : { protocolVersion: body.protocolVersion }),
          ...(isPlainObject(body.state) ? { state: body.state } : {}),
          ...(messages === undefined ? {} : { messages }),
        },
      })
    }),
  )

/** A UUID is used as it is; for any other text the UUID is a hash of `name` and the text. */
const named = (text: string, ...name: ReadonlyArray<string>): Effect.Effect<string> =>
  isUuid(text) ? Effect.succeed(text) : Effect.promise(() => uuidV8(...name, text))

type Answer = Readonly<Record<string, unknown>>

interface Answers {
  /** Answers to asks that are open, or were open when the run was first sent. */
  readonly asks: ReadonlyArray<{ readonly ask: Asked; readonly answer: Answer }>
  /** Results of calls whose asks the session has not opened yet, by the id of the call. */
  readonly late: ReadonlyMap<string, Answer>
}

const NOTHING: Answers = { asks: [], late: new Map() }

const answersOf = Effect.fnUntraced(function* (
  caller: Caller,
  id: string,
  { resume = [] }: RunAgentInput,
  { results }: NewInput,
): Effect.fn.Return<Answers, ApiError> {
  if (resume.length === 0 && results.length === 0) return NOTHING
  const { asked, calls } = yield* askedCalls(caller, id)
  const interrupts: Array<Answers["asks"][number]> = []
  for (const [index, entry] of resume.entries()) {
    const field = `resume[${index}].interruptId`
    const ask = asked.find(({ request_id }) => request_id === entry.interruptId)
    if (ask === undefined) {
      return yield* invalidField(field, `this thread has no interrupt ${entry.interruptId.slice(0, 100)}`)
    }
    if (interrupts.some((one) => one.ask === ask)) {
      return yield* invalidField(field, "this interrupt is answered twice. Send one answer.")
    }
    interrupts.push({ ask, answer: answerOf(ask.kind, entry) })
  }
  const late = new Map<string, Answer>()
  for (const result of results) {
    const ask = asked.find((one) => one.tool_use_id === result.toolCallId && one.kind === "client_tool")
    if (ask !== undefined) interrupts.push({ ask, answer: resultOf(result) })
    else if (calls.has(result.toolCallId)) late.set(result.toolCallId, resultOf(result))
    else {
      const message = `the result ${result.id} belongs to the call ${result.toolCallId}, but this thread has no such call`
      return yield* invalidField("messages", message)
    }
  }
  return { asks: interrupts, late }
})

/**
 * The answers of a run with only tool results, in an input that repeats it because its stream broke; empty when the client has
 * the whole answer to them, so that there is nothing to repeat.
 */
const repeatedAnswers = Effect.fnUntraced(function* (
  caller: Caller,
  id: string,
  { messages }: RunAgentInput,
): Effect.fn.Return<Answers["asks"], ApiError> {
  const known = yield* askedCalls(caller, id)
  const asked = new Map(
    known.asked.flatMap((ask) => (ask.kind === "client_tool" ? [[ask.tool_use_id, ask] as const] : [])),
  )
  const answers = repeatedResults(messages, new Set(asked.keys())).flatMap((result) => {
    const ask = asked.get(result.toolCallId)
    return ask === undefined ? [] : [{ ask, answer: resultOf(result) }]
  })
  const turn = answers[0]?.ask.turn
  if (turn === undefined) return []
  const { result } = yield* callSession(caller.session, id, (stub) => stub.turn(turn, 0, "action"))
  const last = messages.at(-1)
  return result !== null && last?.role === "assistant" && last.content === result["result"] ? [] : answers
})

const sendAnswers = Effect.fnUntraced(function* (caller: Caller, id: string, answers: Answers["asks"]) {
  for (const { ask, answer } of answers) {
    yield* callSession(caller.session, id, (stub) => stub.answer(ask.request_id, { ...answer }, caller.actor))
  }
})

/** Sends the results of calls whose asks have been opened since. */
const sendLate = Effect.fnUntraced(function* (caller: Caller, id: string, late: Answers["late"]) {
  const open = yield* callSession(caller.session, id, (stub) => stub.asks())
  for (const { request_id: ask, kind, tool_use_id: call } of open) {
    const answer = kind === "client_tool" ? late.get(call) : undefined
    if (answer !== undefined)
      yield* callSession(caller.session, id, (stub) => stub.answer(ask, { ...answer }, caller.actor))
  }
})

interface StartedRun {
  readonly turn: string
  /** The seq after which the run's events start. */
  readonly after: number
  readonly begins: RequestedRun["begins"]
  readonly messages?: ReadonlyArray<unknown>
  /** Results that these messages already contain; they are not sent again. */
  readonly kept?: NewInput["results"]
}

const continueRun = Effect.fnUntraced(function* (
  caller: Caller,
  id: string,
  { messages }: RunAgentInput,
  answers: Answers["asks"],
): Effect.fn.Return<StartedRun, ApiError> {
  const turn = answers[0]?.ask.turn ?? ""
  const { first_seq } = yield* callSession(caller.session, id, (stub) => stub.turn(turn, 0, "action"))
  // For a repeated run: the messages that the client had before it; later ones are replaced.
  const before = upToCall(messages, new Set(answers.map(({ ask }) => ask.tool_use_id)))
  return {
    turn,
    after: first_seq - 1,
    begins: { asks: new Set(answers.map(({ ask }) => ask.request_id)) },
    ...(before === undefined ? {} : { messages: before, kept: before.filter((one) => one.role === "tool") }),
  }
})

const Options = Schema.Struct({ options: SessionOptions })

/** Submits the prompt to the session, which is created if it does not exist. */
const beginTurn = Effect.fnUntraced(function* (
  caller: Caller,
  id: string,
  body: RunAgentInput,
  fresh: NewInput,
  late: Answers["late"],
): Effect.fn.Return<StartedRun, ApiError> {
  const turn = yield* named(body.runId, "ag-ui-run", caller.tenant, id)
  const begins = { turn }
  if (fresh.answered || fresh.prompt.length === 0) {
    const known = yield* Effect.result(callSession(caller.session, id, (stub) => stub.turn(turn, 0, "action")))
    if (known._tag === "Success") return { turn, after: known.success.first_seq - 1, begins, messages: fresh.before }
    if (known.failure.type !== "not_found_error") return yield* known.failure
    const repeated = fresh.answered ? yield* repeatedAnswers(caller, id, body) : []
    if (repeated.length > 0) {
      yield* sendAnswers(caller, id, repeated)
      return yield* continueRun(caller, id, body, repeated)
    }
    const message =
      "contains neither a new user message nor a result of an open call, and resume contains no answer. Send one of them."
    return yield* invalidField("messages", message)
  }
  if ((body.tools ?? []).length > 0 && body.forwardedProps?.options?.clientTools !== undefined) {
    const field = "forwardedProps.options.clientTools"
    return yield* invalidField(field, "can't be combined with tools, which has the same meaning. Send one of them.")
  }
  const { options } = yield* renamed(decodeBody(Options, { options: optionsOf(body) }))
  yield* renamed(checkOptions(options, caller))
  const prompt = promptOf(body, fresh, false)
  yield* checkPromptSize({ prompt })
  const instructions = instructionsOf(body)
  const appended = instructions === "" ? {} : { appendSystemPrompt: instructions }
  const args = {
    turn,
    prompt,
    onBusy: "queue" as const,
    unlessAsked: [...late.keys()],
    streamed: true as const,
    options,
    ...appended,
    fingerprint: yield* hashOf("ag-ui", { prompt, options, ...appended }),
    origin: new URL(caller.request.url).origin,
    ...acting(caller),
  }
  const create = {
    session: newSession({ options: sessionWide(options) }),
    fingerprint: yield* hashOf("ag-ui/session", { id }),
    ...acting(caller),
  }
  const creating = { ...args, prompt: promptOf(body, fresh, true), create }
  const submitted = yield* renamed(submitOrCreate(caller.session, id, args, creating))
  // Calls that the session reached before the prompt was queued. Later asks are answered from the stream.
  if (late.size > 0) yield* sendLate(caller, id, late)
  return { turn, after: submitted.seq - 1, begins, ...(submitted.replayed ? { messages: fresh.before } : {}) }
})

/** The options that only a session as a whole has: a run that creates its thread's session sets them. */
const sessionWide = ({ persistSession, runtime, workspace_limits }: SessionOptions): SessionOptions => ({
  ...(persistSession === undefined ? {} : { persistSession }),
  ...(runtime === undefined ? {} : { runtime }),
  ...(workspace_limits === undefined ? {} : { workspace_limits }),
})

/** Renames the options in an error to the fields of the AG-UI input. */
const renamed = renamedFields((text) =>
  text
    .replaceAll(/options\.clientTools(\[\d+\])?/g, "tools$1")
    .replaceAll("inputSchema", "parameters")
    .replaceAll("options.", "forwardedProps.options."),
)

interface Streamed {
  readonly turn: string
  readonly after: number
  readonly run: RequestedRun
  readonly late: Answers["late"]
}

const streamRun = Effect.fnUntraced(function* (caller: Caller, id: string, { turn, after, run, late }: Streamed) {
  const { actor, requestId, route, session } = caller
  const open = feedOf(() => session(id), { facts: "1" }, actor)
  const first = yield* callObject("session", () => open(after))
  let view: QueuedRunView | null = null
  const facts = new FactsView((base) => {
    view = new QueuedRunView(new AgUiView({ sessionId: id, base }, run), run)
    return view
  })
  const lost = (cause: unknown) => void unexpected(cause, { requestId, route })
  return sseResponse(
    caller,
    {
      first,
      open,
      after,
      view: (line) => {
        if (line.name === "ask:opened") {
          const { request_id: ask, kind, tool_use_id: call } = Object(readFact(line).payload) as Asked // as the log has it
          const answer = kind === "client_tool" ? late.get(call) : undefined
          const send = () =>
            Effect.runPromise(callSession(session, id, (stub) => stub.answer(ask, { ...answer }, actor))).catch(lost)
          if (answer !== undefined) void send()
        }
        return facts.view(line)
      },
      facts,
      media: mediaOf(() => session(id)),
      until: () => view?.ended === true,
    },
    turnHeaders(id, turn),
  )
})
