// Receives where a script ended; returns where the next one begins, and a note for the model about it.
// Invariant: the shell stays in a directory that is there and in which the session works, or else in the session's own.
import type { Overlay } from "../../workspace/tree/overlay.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { ShellScript } from "../../shell/syntax/script.ts"
import type { ToolContext } from "../tool.ts"

const MOVERS: ReadonlySet<string | null> = new Set(["cd", "pushd", "popd"])

/** True when the script has a command that changes its directory. */
export const changesDirectory = ({ commands }: ShellScript): boolean => commands.some(({ name }) => MOVERS.has(name))

export interface NextDirectory {
  /** Present when the next call begins somewhere else than this one. */
  readonly cwd?: string
  /** The note for the model when that is not where the script went. */
  readonly note?: string
}

/** `at` is where a script ended that succeeded; null for one that failed, which moves nothing. */
export const nextDirectory = async (
  at: string | null,
  overlay: Overlay,
  { cwd, root, lost, inside }: ToolContext,
): Promise<NextDirectory> => {
  const began = lost ?? cwd
  const found = at === null ? cwd : await directoryAt(at, overlay)
  const next = found !== null && inside(found) ? found : found === null ? await stillThere(cwd, overlay, root) : root
  const note = noteOf(next, found === null ? at : null, found, lost)
  return { ...(next === began ? {} : { cwd: next }), ...(note === null ? {} : { note }) }
}

const noteOf = (next: string, gone: string | null, found: string | null, lost: string | undefined): string | null => {
  if (gone !== null) return `The shell is back in ${next}: ${gone} no longer exists.`
  if (found !== null && found !== next)
    return `The shell is back in ${next}: it can't stay in ${found}, which is outside the working directory.`
  return lost === undefined ? null : `The shell is in its first directory again: ${lost} no longer exists.`
}

const stillThere = async (path: string, overlay: Overlay, root: string): Promise<string> =>
  (await directoryAt(path, overlay)) ?? root

/** Where a path leads, all links followed; null when that is no directory. */
const directoryAt = async (path: string, overlay: Overlay): Promise<string | null> => {
  try {
    const real = await overlay.realpath(path)
    return (await overlay.stat(real)).isDirectory ? real : null
  } catch (error) {
    if (error instanceof WorkspaceError) return null
    throw error
  }
}
