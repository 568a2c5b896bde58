// Synchronizes a folder of this machine with the workspace of a session: `push` sends changes, `pull` downloads them.
import { perchClient } from "../api/perch-client.ts"
import type { TransportOptions } from "../api/transport.ts"
import type { Selection } from "./ignore-rules.ts"
import { pullFolder } from "./pull.ts"
import { pushFolder } from "./push.ts"
import type { SyncReport } from "./sync-options.ts"

/** A folder, the session that it is synchronized with, and how. */
export interface FolderSync extends TransportOptions, Selection {
  readonly sessionId: string
  /** The folder of this machine (the current directory by default). */
  readonly folder?: string
  /** The folder in the session: an absolute path (the session's working directory by default). */
  readonly remote?: string
  /** Resolves conflicts in favour of the side that changes come from. */
  readonly force?: boolean
  /** Only reports what would be done. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/**
 * Sends the changes of a folder to a session. Files are compared by content, so a second push sends only changes; files that
 * were removed here are removed there. `.gitignore` files apply; `.git` is never sent. A file that changed in the session since
 * the last push or pull is left as it is and reported as a conflict.
 *
 * Throws TooLargeError before anything is sent when the folder does not fit, and PerchError when the server refuses.
 */
export const push = (options: FolderSync): Promise<SyncReport> => run(pushFolder, options)

/**
 * Downloads the changes of a session into a folder, removals included. A file that changed here since the last push or pull is
 * left as it is and reported as a conflict; before the first push or pull that is every file that differs. Nothing is written
 * outside of the folder, through a link, or below `.git`. Throws NotFoundError for a `remote` that the session does not have.
 */
export const pull = (options: FolderSync): Promise<SyncReport> => run(pullFolder, options)

/** Whether the path is valid in a session: absolute, without `.`, `..`, empty names and NUL. */
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
    ...(options.remote === undefined ? {} : { isNamed: true }),
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
