// The runtimes of a run: what answers its model requests, and whether the answers are recorded.
import * as Schema from "effect/Schema"

/** The runtimes with which a server executes a run. */
export const RunRuntime = Schema.Literals(["live", "offline", "record", "playback"])
export type RunRuntime = typeof RunRuntime.Type

/** The additional runtime of `runEmbeddedAgent`: the official SDK in the caller's process, with the server as its CLI. */
export const CLIENT_RUNTIME = "claude-sdk"

export const isRunRuntime = Schema.is(RunRuntime)
