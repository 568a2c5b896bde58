// A folder of this machine and the workspace of a session: send what changed, bring back what changed.
import { perchClient } from "../api/perch-client.ts"
import type { TransportOptions } from "../api/transport.ts"
import type { Selection } from "./ignore-rules.ts"
import { pullFolder } from "./pull.ts"
import { pushFolder, type SyncReport } from "./push.ts"

/** A folder, the session that it is synchronized with, and how. */
export interface FolderSync extends TransportOptions, Selection {
  readonly sessionId: string
  /** The folder of this machine (the current one). */
  readonly folder?: string
  /** The folder in the session: an absolute path (the session's working directory). */
  readonly remote?: string
  /** Decides conflicts for the side that changes come from. */
  readonly force?: boolean
  /** Reports what would be done, and does nothing. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/**
 * Sends what changed in a folder into a session: by content, so a second push sends only changes; files that were removed
 * here are removed there. `.gitignore` files count; `.git` never travels. What changed in the session since the last push or
 * pull stays as it is and is a conflict.
 *
 * Throws TooLargeError before anything is sent when the folder does not fit, and PerchError when the server refuses.
 */
export const push = (options: FolderSync): Promise<SyncReport> => run(pushFolder, options)

/**
 * Brings what changed in a session into a folder, removals too. What changed here since the last push or pull stays as it is
 * and is a conflict; so is, without a push or pull before, every file that differs. Nothing is written outside of the folder,
 * through a link, or below `.git`.
 */
export const pull = (options: FolderSync): Promise<SyncReport> => run(pullFolder, options)

/** Whether a session can have the path: absolute, without `.`, `..`, empty names and NUL. */
export const isWorkspacePath = (path: string): boolean =>
  path === "/" || /^(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)+$/.test(path)

const run = async (sync: typeof pushFolder, options: FolderSync): Promise<SyncReport> => {
  const { sessionId, folder = ".", force, dryRun, signal, include, ignore, gitignore } = options
  const client = perchClient(options)
  const session = client.session(sessionId)
  const place = options.remote ?? (await session.get(signal === undefined ? {} : { signal })).cwd
  const remote = place.length > 1 ? place.replace(/\/+$/, "") : place
  if (!isWorkspacePath(remote))
    throw new TypeError(`remote must be an absolute path without . and .. in it. Got ${JSON.stringify(place)}.`)
  return sync({
    files: session.files,
    folder,
    remote,
    url: client.url,
    session: sessionId,
    selection: {
      ...(include === undefined ? {} : { include }),
      ...(ignore === undefined ? {} : { ignore }),
      ...(gitignore === undefined ? {} : { gitignore }),
    },
    ...(force === undefined ? {} : { force }),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(signal === undefined ? {} : { signal }),
  })
}
