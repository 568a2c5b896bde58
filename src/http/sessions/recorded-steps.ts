// What a recorded session got from outside, as it is repeated in another: how it was made, changed and prompted.
// Invariant: a recording may have been uploaded, so what it holds is checked as the API checks it in a request.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ControlPrompt, CreateSession, PatchSession } from "../../schemas/api/api.ts"
import { Route } from "../../schemas/interop/claude-code-config.ts"
import { Subtask } from "../../schemas/interop/subtask.ts"
import { ApiError } from "../errors/errors.ts"
import type { ReplayStep } from "../../schemas/rpc/recording-rpc.ts"

const { options } = PatchSession.fields

const Created = Schema.Struct({
  cwd: Schema.requiredKey(CreateSession.fields.cwd),
  title: CreateSession.fields.title,
  metadata: CreateSession.fields.metadata,
  options,
})

const Changed = Schema.Struct({
  title: PatchSession.fields.title,
  metadata: PatchSession.fields.metadata,
  options,
  permissionMode: PatchSession.fields.permissionMode,
})

const isSo = Schema.optionalKey(Schema.Literal(true))

const Queued = Schema.Struct({
  prompt: ControlPrompt,
  options,
  routing: Schema.optionalKey(Schema.Struct({ route: Route, subtask: Schema.optionalKey(Subtask) })),
  mayJoin: isSo,
  acknowledge: isSo,
  silent: isSo,
  later: isSo,
  synthetic: isSo,
})

/** The payload of a step, or a refusal that names it. */
const reading = <A, I>(shape: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(shape)
  return ({ name, payload }: ReplayStep): Effect.Effect<A, ApiError> =>
    Effect.mapError(decode(payload), () => unreadable(name))
}

const readCreated = reading(Created)
const readChanged = reading(Changed)
const readQueued = reading(Queued)

export type ReadStep = ReplayStep &
  (
    | { readonly changed: typeof Changed.Type; readonly queued?: never }
    | { readonly queued: typeof Queued.Type; readonly changed?: never }
  )

/** All of it, before anything is made. */
export const readSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<ReplayStep>) {
  const made = steps.find(({ name }) => name === "session:created")
  if (made === undefined) return yield* unreadable("session:created")
  const later: Array<ReadStep> = []
  for (const step of steps) {
    if (step.name === "turn:queued") later.push({ ...step, queued: yield* readQueued(step) })
    else if (step.name === "session:changed" || step.name === "model:switched")
      later.push({ ...step, changed: yield* readChanged(step) })
  }
  return { created: yield* readCreated(made), later }
})

const unreadable = (name: string): ApiError =>
  new ApiError({
    type: "conflict_error",
    message: `The recording can't be replayed: it has no signal ${name} that this version reads.`,
  })
