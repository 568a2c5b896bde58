// Receives the files that a request has changed outside of a turn; reports them to the session's recording and to connected clients.
// Invariant: the report to clients is not stored: without a connected client it costs nothing, and a client that connects later
// reads the list of files.
import type { ChangedFile } from "../../schemas/log/file-events.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"

/** With more files than this, the report names the root alone. */
const MAX_FILES = 100

export type FileReporter = Pick<SessionCore, "capture" | "context" | "feed" | "workspace">

/** `created`: whether a path that exists is new. The path of a folder reports a change of everything in it. */
export const reportChanges = (
  { capture, context, feed, workspace }: FileReporter,
  paths: ReadonlyArray<string>,
  created = false,
): void => {
  if (capture !== null) for (const path of paths) capture.filesChanged(path)
  if (paths.length === 0 || feed.listeners.size === 0) return
  const changeOf = (file: string): ChangedFile => {
    if (!workspace.exists(file)) return { file, event: "unlink" }
    return { file, event: created ? "add" : "change" }
  }
  const files: ReadonlyArray<ChangedFile> =
    paths.length > MAX_FILES ? [{ file: "/", event: "change" }] : paths.map(changeOf)
  feed.emit({ name: EventNames.fileChanged, turn: null, payload: { uuid: context.newUuid(), files } })
}
