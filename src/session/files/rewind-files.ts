// Receives the id of a user message; moves the session's files back to their state at that message.
// Invariant: files are moved only between turns; a dry run changes nothing.
import type { Rewind } from "../../schemas/api/files.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type { RewindResult } from "../../workspace/workspace.ts"
import type { SessionCore } from "../core.ts"
import { placeOfMessage } from "../pages/message-place.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { SessionLog } from "../storage/log.ts"
import { type FileReporter, reportChanges } from "./changed-files.ts"

/** The prompt whose message is shown with this id. */
const promptOf = (log: SessionLog, shown: string): string | undefined => {
  const seq = placeOfMessage(log, shown)
  return seq === undefined ? undefined : log.atNamed(seq, EventNames.turnQueued)?.event.uuid
}

/** Rewinds the files to their state at a user message. Refused while a turn is open, except for a dry run. */
export const rewindFiles = (
  core: Pick<SessionCore, "log" | "state"> & FileReporter,
  { user_message_id: named, dry_run: dryRun = false }: Rewind,
): RewindResult | Refusal => {
  const { log, state, workspace } = core
  const id = named.startsWith("msg_") ? (promptOf(log, named) ?? named) : named
  if (!dryRun && state !== "idle") return refuse("conflict_error", "files can be rewound only between turns")
  const result = workspace.rewind(id, { dryRun })
  if (!dryRun && result.canRewind) reportChanges(core, result.filesChanged)
  return dryRun || result.canRewind ? result : refuse("not_found_error", result.error)
}
