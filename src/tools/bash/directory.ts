// Receives the directory in which a script ended; returns that in which the next one starts, and a note for the model about it.
// Invariant: the shell is in an existing directory in which the session works, or else in the session's own.
import type { Overlay } from "../../workspace/tree/overlay.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { ShellScript } from "../../shell/shell-command.ts"
import type { ToolContext } from "../tool.ts"

const MOVERS: ReadonlySet<string | null> = new Set(["cd", "pushd", "popd"])

/** True when the script has a command that changes its directory. */
export const changesDirectory = ({ commands }: ShellScript): boolean => commands.some(({ name }) => MOVERS.has(name))

export interface NextDirectory {
  /** Present when the next call starts in another directory than this one. */
  readonly cwd?: string
  /** The note for the model when the next call does not start where the script ended. */
  readonly note?: string
}

/** `at` is the directory in which a successful script ended; null for a failed one, which does not change the directory. */
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
  return lost === undefined ? null : `The shell is in its first directory again: ${lost} can't be used any more.`
}

const stillThere = async (path: string, overlay: Overlay, root: string): Promise<string> =>
  (await directoryAt(path, overlay)) ?? root

/** The real path of a directory, with all links followed; null when the path is not a directory. */
const directoryAt = async (path: string, overlay: Overlay): Promise<string | null> => {
  try {
    const real = await overlay.realpath(path)
    return (await overlay.stat(real)).isDirectory ? real : null
  } catch (error) {
    if (error instanceof WorkspaceError) return null
    throw error
  }
}
