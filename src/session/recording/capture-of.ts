// Receives a session that is opened; returns what records it or plays its recording, or null when it runs live.
// Invariant: the mode is the session's own for its whole life: a session that plays a recording sends nothing to the outside.
import type { SessionCore } from "../core.ts"
import { type OpenRecording, Player } from "./player.ts"
import { Recorder } from "./recorder.ts"
import type { SessionCapture } from "./session-capture.ts"

export const captureOf = (core: SessionCore, open: OpenRecording): SessionCapture | null => {
  const { runtime } = core.record.options
  if (runtime === undefined || runtime.mode === "live") return null
  return runtime.mode === "record" ? new Recorder(core) : new Player(core, runtime.recording ?? "", open)
}
