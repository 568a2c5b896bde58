// Receives a call that may run; runs the tool, calls PostToolUse hooks, and appends its one result.
// Invariant: a tool's change and the first event that records it commit together, so a call is done completely or not at all.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HookOutcome } from "../../hooks/outcome.ts"
import type { ToolRan } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { errorOutcome, type Tool, type ToolContext, type ToolError, type ToolOutcome } from "../../tools/tool.ts"
import { keepWhole } from "../../tools/large-result.ts"
import { CommitRefused } from "../../workspace/tree/guarded-overlay.ts"
import type { Call } from "./call.ts"
import type { CallEnd } from "./call-batch.ts"
import { logDefect } from "../defect.ts"
import { type Fired, fire, hookFacts, stamp } from "./hook-events.ts"
import { type CallServices, Hooks, Log, ToolLedger, type Turn, TurnContext } from "../ports.ts"
import { noteUsedFiles } from "../project/load-instructions.ts"
import { type PermissionNote, type ResultNote, toolResultMessage, syntheticMessage } from "../messages/sdk-messages.ts"
import type { ToolUse } from "../transcript/transcript.ts"

/** How the call was permitted, when it needed permission. */
export interface RunNote {
  readonly permission?: PermissionNote
}

/** A call that may run. `note` and `unwritten`, its events so far, are appended with its result. */
export interface Execution {
  readonly call: Call
  readonly context: ToolContext
  readonly note?: RunNote
  readonly unwritten?: ReadonlyArray<NewEvent>
}

export const execute = Effect.fnUntraced(function* ({
  call,
  context,
  note = {},
  unwritten = [],
}: Execution): Effect.fn.Return<CallEnd, never, CallServices> {
  const { use, tool } = call
  const turn = yield* TurnContext
  const ran = turn.memory.accounting.tally?.ran.get(use.id)
  const loadNested = noteUsedFiles(turn, call)
  const { outcome: first, durationMs } =
    ran === undefined ? yield* run(call, context, unwritten.length > 0) : recalled(ran)
  const { outcome, events: guards } = yield* guarded(use, first)
  const beforeRun = [...unwritten, ...guards]
  const effects = ran === undefined ? yield* effectsOf(call, outcome) : NO_EFFECTS
  const settled = ran !== undefined || (yield* settleFirst(use, { outcome, durationMs }, effects, beforeRun))
  const ended = yield* afterRun(call, outcome, durationMs)
  const halts = ended.outcome.stop !== null && outcome.isError !== true
  const result = replaced(tool, outcome, ended.outcome)
  const nested = outcome.isError === true ? [] : yield* loadNested
  const end = yield* append(use, result, note, {
    before: settled ? ended.record : [...beforeRun, ...effects.events, ...ended.record],
    ...committed(settled ? undefined : effects.commit, outcome.begins),
    // The hooks' messages to clients come after the result; when a hook ends the turn, none are sent.
    after: halts ? [] : [...followUp(turn, outcome), ...ended.messages, ...nested],
  }).pipe(
    // The transaction was rolled back: the changes could not be applied, and the result says so.
    Effect.catchCause((cause) =>
      Effect.flatMap(brokenTool(cause), (broken) => append(use, broken, note, { before: beforeRun })),
    ),
  )
  return halts ? "halted" : end
})

/** The changes to commit with the result, if there are any. */
const committed = (...changes: ReadonlyArray<ToolOutcome["commit"]>): Pick<Around, "commit"> =>
  changes.every((change) => change === undefined)
    ? {}
    : { commit: (written) => changes.forEach((change) => change?.(written)) }

/** Further messages for the model after the tool's result. */
const followUp = (turn: Turn, { followUp: texts = [] }: ToolOutcome): ReadonlyArray<NewEvent> =>
  texts.map((text) => syntheticMessage(stamp(turn), text))

/** Calls the hooks that may refuse an outcome before it is committed. */
const guarded = Effect.fnUntraced(function* (
  use: ToolUse,
  outcome: ToolOutcome,
): Effect.fn.Return<{ readonly outcome: ToolOutcome; readonly events: ReadonlyArray<NewEvent> }, never, CallServices> {
  const { guard } = outcome
  if (guard === undefined) return { outcome, events: [] }
  const { outcome: hooked, events } = yield* fire(guard.event, guard.facts, use.id)
  if (hooked.block === null) return { outcome, events }
  const refused = guard.refused(hooked.block.reason)
  // As the official SDK: a hook that does not answer in time interrupts the call.
  const isLate = hooked.failures.some(({ kind, blocks }) => blocks && kind === "timeout")
  return {
    outcome: isLate ? { ...refused, ...errorOutcome(textOf(refused.content)), interrupted: true } : refused,
    events,
  }
})

/** What a call changes, for one transaction: the events that record it, and the change itself. */
interface Effects extends Pick<ToolOutcome, "commit"> {
  readonly events: ReadonlyArray<NewEvent>
}

const NO_EFFECTS: Effects = { events: [] }

const effectsOf = Effect.fnUntraced(function* (
  { use, tool, input }: Call,
  { commit, facts = [], mode, cwd }: ToolOutcome,
): Effect.fn.Return<Effects, never, CallServices> {
  const turn = yield* TurnContext
  const ledger = yield* ToolLedger
  const outside = tool.hasOutsideEffects(input)
  const moded: Effects = mode === undefined ? NO_EFFECTS : turn.changeMode(mode)
  const moved: ReadonlyArray<NewEvent> = cwd === undefined ? [] : [{ name: EventNames.cwdChanged, payload: { cwd } }]
  // A prompt that the call queues has a turn of its own.
  const events = [...[...facts, ...moved].map((fact) => ({ ...fact, turn: fact.turn ?? turn.id })), ...moded.events]
  if (commit === undefined && moded.commit === undefined && !outside) return { events }
  return {
    events,
    commit: (written) => {
      commit?.(written)
      moded.commit?.(written)
      // The call with effects outside the session has ended.
      if (outside) ledger.settle(use.id)
    },
  }
})

/** What a tool returned, and how long it took. */
interface Ran {
  readonly outcome: ToolOutcome
  readonly durationMs: number
}

const recalled = (ran: ToolRan): Ran => ({
  outcome: {
    // The tool's own content, as it was logged.
    content: ran.content as ToolOutcome["content"],
    output: ran.output,
    ...(ran.extras === undefined ? {} : { extras: ran.extras }),
    ...(ran.is_error === undefined ? {} : { isError: ran.is_error }),
  },
  durationMs: ran.duration_ms,
})

/** Milliseconds after which clients are shown that a call runs whose start is not in the log yet. */
const SHOWN_AFTER_MS = 500

/** Calls `show` after that time, unless the returned function is called before. A call that ends at once sets no timer. */
const later = (show: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  queueMicrotask(() => {
    if (!isOver) timer = setTimeout(show, SHOWN_AFTER_MS)
  })
  return () => {
    isOver = true
    if (timer !== undefined) clearTimeout(timer)
  }
}

const run = Effect.fnUntraced(function* ({ use, tool, input }: Call, context: ToolContext, isUnwritten: boolean) {
  const turn = yield* TurnContext
  const ledger = yield* ToolLedger
  if (tool.hasOutsideEffects(input)) yield* ledger.start(use.id, tool.name)
  const startedAt = turn.now()
  const { showPrinted } = context
  // Announces the running call with an empty output, before anything that it prints.
  const shown =
    isUnwritten && showPrinted !== undefined ? later(() => showPrinted({ output: "", truncated: false })) : undefined
  const outcome = yield* tool.run(input, context).pipe(
    Effect.catch((error) => Effect.succeed(failure(error))),
    Effect.catchCause(brokenTool),
    Effect.ensuring(Effect.sync(() => shown?.())),
  )
  const durationMs = outcome.durationMs ?? turn.now() - startedAt
  return { outcome: keepWhole(tool.name, context, outcome), durationMs }
})

/**
 * PostToolUse hooks see the session as the call left it: the call's changes are committed before they are called, and so are
 * a new mode and a new directory, which are in the input of every hook. Returns true when that was done.
 */
const settleFirst = Effect.fnUntraced(function* (
  use: ToolUse,
  { outcome, durationMs }: Ran,
  effects: Effects,
  before: ReadonlyArray<NewEvent>,
): Effect.fn.Return<boolean, never, CallServices> {
  const hooks = yield* Hooks
  const changes = outcome.commit !== undefined || (outcome.facts ?? []).length > 0
  if (outcome.mode === undefined && outcome.cwd === undefined && !(changes && hooks.listens(endOf(outcome))))
    return false
  const log = yield* Log
  const turn = yield* TurnContext
  const payload: ToolRan = {
    tool_use_id: use.id,
    content: outcome.content,
    ...(outcome.isError === undefined ? {} : { is_error: outcome.isError }),
    output: outcome.output,
    ...(outcome.extras === undefined ? {} : { extras: outcome.extras }),
    duration_ms: durationMs,
  }
  const ran: NewEvent = { name: EventNames.toolRan, payload, turn: turn.id }
  yield* log.append([...before, ...effects.events, ran], effects.commit)
  return true
})

const endOf = (outcome: ToolOutcome) => (outcome.isError === true ? "PostToolUseFailure" : "PostToolUse")

const afterRun = (
  call: Call,
  outcome: ToolOutcome,
  durationMs: number,
): Effect.Effect<Fired, never, Hooks | TurnContext> => {
  const { id } = call.use
  const facts = { ...hookFacts(call), duration_ms: durationMs }
  return outcome.isError === true
    ? fire(
        "PostToolUseFailure",
        { ...facts, error: textOf(outcome.content), is_interrupt: outcome.interrupted === true },
        id,
      )
    : fire("PostToolUse", { ...facts, tool_response: outcome.output }, id)
}

/**
 * A hook may replace the tool's output, for the model and for clients: by any value for an MCP server's tool, for others by
 * an output of the tool's own shape. A replacement of another shape is ignored.
 */
const replaced = (tool: Tool, outcome: ToolOutcome, { updatedOutput }: HookOutcome): ToolOutcome => {
  if (updatedOutput === null) return outcome
  const { value } = updatedOutput
  if (tool.mcpServer !== undefined) {
    // As in the official SDK: the server's data for clients stays, and a value that is null, false or 0 is no output.
    const text = typeof value === "string" ? value : value ? JSON.stringify(value) : ""
    return { ...outcome, content: isBlocks(value) ? value : text, output: value }
  }
  const content = tool.contentOf?.(value, outcome.content) ?? null
  return content === null ? outcome : { ...outcome, content, output: value }
}

const isBlocks = Schema.is(
  Schema.Array(
    Schema.Union([
      Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
      Schema.Struct({
        type: Schema.Literals(["image", "document"]),
        source: Schema.Record(Schema.String, Schema.Unknown),
      }),
    ]),
  ),
)

const failure = ({ message, output }: ToolError): ToolOutcome =>
  output === undefined ? errorOutcome(message) : { ...errorOutcome(message), output }

/** The result of a tool that died with a defect, which goes only to the server's log, or whose change was refused. */
export const brokenTool = (cause: Cause.Cause<never>): Effect.Effect<ToolOutcome> => {
  if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  if (error instanceof CommitRefused) return Effect.succeed(errorOutcome(error.message))
  const text = "The tool failed inside the server. Nothing of this call was applied."
  return Effect.as(logDefect("a tool failed", cause), errorOutcome(text))
}

/** Appends the error result of a call that is refused before its hooks run. */
export const refuse = (
  use: ToolUse,
  text: string,
  note: ResultNote = {},
  output: unknown = text,
): Effect.Effect<CallEnd, never, CallServices> =>
  append(use, { content: `<tool_use_error>${text}</tool_use_error>`, isError: true, output }, note)

/** What is committed in the transaction of a result: events before and after it, and a change. */
interface Around extends Pick<ToolOutcome, "commit"> {
  readonly before?: ReadonlyArray<NewEvent>
  readonly after?: ReadonlyArray<NewEvent>
}

/** Appends the call's one result. */
export const append = Effect.fnUntraced(function* (
  use: ToolUse,
  result: Pick<ToolOutcome, "extras" | "isError" | "output"> & { readonly content: unknown },
  note: ResultNote = {},
  { before = [], after = [], commit }: Around = {},
): Effect.fn.Return<CallEnd, never, CallServices> {
  const log = yield* Log
  const turn = yield* TurnContext
  const { extras, output } = result
  const given = extras === undefined ? result : { ...result, output: { content: output, ...extras } }
  yield* log.append([...before, toolResultMessage(stamp(turn), use, given, note), ...after], commit)
  return "done"
})

const textOf = (content: ToolOutcome["content"]): string =>
  typeof content === "string"
    ? content
    : content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n")
