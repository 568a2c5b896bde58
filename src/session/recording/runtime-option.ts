// The option `runtime` of an existing session: it is fixed for the session's whole life.
// Invariant: nothing turns a session that plays a recording into one that sends requests to the model.
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { SessionRuntime } from "../../schemas/sdk/options/session-runtime.ts"
import { type Refusal, refuse } from "../refusal.ts"

type Options = Pick<SessionOptions, "runtime">

const LIVE: SessionRuntime = { mode: "live" }

const FIXED = refuse(
  "conflict_error",
  "options.runtime differs from the session's runtime, which is fixed at its creation. Create a separate session for a recording or a playback.",
  "options.runtime",
)

/** Why the `runtime` in options for a session, or one of its turns, is refused; undefined when it is the session's own. */
export const runtimeRefusal = ({ runtime: own = LIVE }: Options, { runtime }: Options): Refusal | undefined =>
  runtime === undefined || (runtime.mode === own.mode && runtime.recording === own.recording) ? undefined : FIXED

/** The options with the session's own runtime. */
export const withRuntime = <O extends Options>({ runtime }: Options, options: O): O => {
  const { runtime: _, ...rest } = options
  // The same options but for the runtime.
  return (runtime === undefined ? rest : { ...rest, runtime }) as O
}

/** The runtime of a fork: its own, or its parent's playback, whose recording has the conversation so far. */
export const forkedRuntime = ({ runtime: parent }: Options, { runtime: own }: Options): Options => {
  const runtime = own ?? (parent?.mode === "playback" ? parent : undefined)
  return runtime === undefined ? {} : { runtime }
}
