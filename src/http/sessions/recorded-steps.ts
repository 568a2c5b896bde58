// Receives the steps of a recorded session; returns its client's requests, to repeat in another session: how it was created,
// changed, prompted and reverted.
// Invariant: a recording may have been uploaded, so its payloads are validated as the API validates them in a request.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ControlPrompt, CreateSession, ForkSession, PatchSession } from "../../schemas/api/api.ts"
import { PutProgress } from "../../schemas/api/progress.ts"
import { Route } from "../../schemas/interop/claude-code-config.ts"
import { Subtask } from "../../schemas/interop/subtask.ts"
import { RepeatedMove } from "../../recording/recorded-messages.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { ApiError } from "../errors/errors.ts"
import type { ReplayStep } from "../../schemas/rpc/recording-rpc.ts"

const { options } = ForkSession.fields

const Created = Schema.Struct({
  cwd: Schema.requiredKey(CreateSession.fields.cwd),
  title: CreateSession.fields.title,
  metadata: CreateSession.fields.metadata,
  options,
})

const Changed = Schema.Struct({
  title: PatchSession.fields.title,
  metadata: PatchSession.fields.metadata,
  options: PatchSession.fields.options,
  permissionMode: PatchSession.fields.permissionMode,
})

const OPTIONS = SessionOptions.fields

const isSo = Schema.optionalKey(Schema.Literal(true))

const Queued = Schema.Struct({
  prompt: ControlPrompt,
  options,
  appendSystemPrompt: Schema.optionalKey(Schema.String),
  routing: Schema.optionalKey(Schema.Struct({ route: Route, subtask: Schema.optionalKey(Subtask) })),
  mayJoin: isSo,
  acknowledge: isSo,
  silent: isSo,
  later: isSo,
  synthetic: isSo,
})

/** Returns a decoder of a step's payload, which fails with a `conflict_error` that names the step. */
const reading = <A, I>(shape: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(shape)
  return ({ name, payload }: ReplayStep): Effect.Effect<A, ApiError> =>
    Effect.mapError(decode(payload), () => unreadable(name))
}

const readCreated = reading(Created)
const readChanged = reading(Changed)
const readQueued = reading(Queued)

const Called = Schema.Struct({ tool_name: Schema.String, input: Schema.Record(Schema.String, Schema.Json) })

const readWritten = reading(PutProgress)
const readCalled = reading(Called)
const readMoved = reading(RepeatedMove)

/** A decoded step. `nth` is the number of earlier steps with the same name. */
export type ReadStep = ReplayStep & { readonly nth: number } & (
    | { readonly kind: "changed"; readonly changed: typeof Changed.Type; readonly removed: ReadonlyArray<string> }
    | { readonly kind: "queued"; readonly queued: typeof Queued.Type }
    | { readonly kind: "written"; readonly text: string }
    | { readonly kind: "called"; readonly called: typeof Called.Type }
    | { readonly kind: "moved"; readonly moved: RepeatedMove }
  )

export type QueuedStep = Extract<ReadStep, { readonly kind: "queued" }>
export type ChangeStep = Exclude<ReadStep, QueuedStep>

const readStep = Effect.fnUntraced(function* (
  step: ReplayStep,
  nth: number,
): Effect.fn.Return<ReadStep | null, ApiError> {
  const base = { ...step, nth }
  switch (step.name) {
    case "turn:queued":
      return { ...base, kind: "queued", queued: yield* readQueued(step) }
    case "session:changed":
    case "model:switched":
      return { ...base, kind: "changed", ...(yield* readChange(step)) }
    case "progress:changed":
      return { ...base, kind: "written", text: (yield* readWritten(step)).text }
    case "tool:called":
      return { ...base, kind: "called", called: yield* readCalled(step) }
    case "head:moved":
      return { ...base, kind: "moved", moved: yield* readMoved(step) }
    default:
      return null
  }
})

/** The change, and the names of the options that it removed: they are logged as null. */
const readChange = Effect.fnUntraced(function* (step: ReplayStep) {
  const { payload } = step
  const given = isPlainObject(payload) && isPlainObject(payload["options"]) ? payload["options"] : {}
  const removed = Object.keys(given).filter((name) => given[name] === null && Object.hasOwn(OPTIONS, name))
  if (removed.length === 0 || !isPlainObject(payload)) return { changed: yield* readChanged(step), removed }
  const set = Object.fromEntries(Object.entries(given).filter(([name]) => !removed.includes(name)))
  return { changed: yield* readChanged({ ...step, payload: { ...payload, options: set } }), removed }
})

/** Decodes all steps, before any session is created. */
export const readSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<ReplayStep>) {
  const creation = steps.find(({ name }) => name === "session:created")
  if (creation === undefined) return yield* unreadable("session:created")
  const later: Array<ReadStep> = []
  const counts = new Map<string, number>()
  for (const step of steps) {
    const nth = counts.get(step.name) ?? 0
    counts.set(step.name, nth + 1)
    const read = yield* readStep(step, nth)
    if (read !== null) later.push(read)
  }
  return { created: yield* readCreated(creation), later }
})

const unreadable = (name: string): ApiError =>
  new ApiError({
    type: "conflict_error",
    message: `The recording can't be replayed: it has no signal ${name} that this version reads.`,
  })
