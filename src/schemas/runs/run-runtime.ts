// The runtimes of a run: who answers its model requests, and whether the answers are recorded.
import * as Schema from "effect/Schema"

/** What a server carries a run out with. */
export const RunRuntime = Schema.Literals(["live", "offline", "record", "playback"])
export type RunRuntime = typeof RunRuntime.Type

/** What `runEmbeddedAgent` takes besides: the official SDK in the caller's process, with the server as its CLI. */
export const CLIENT_RUNTIME = "claude-sdk"

export const isRunRuntime = Schema.is(RunRuntime)
