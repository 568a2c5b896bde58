// Receives the file that a background task prints to; returns the end of its content.
import type { Workspace } from "../../workspace/workspace.ts"

export interface TaskTail {
  readonly output: string
  readonly total_bytes: number
  readonly truncated: boolean
}

const TAIL_BYTES = 8192

/** Empty for a file that does not exist, or that has other names (links) as well: such a file is not the task's own. */
export const tailOf = (workspace: Workspace, file: string): TaskTail => {
  const isOwn = workspace.exists(file) && workspace.names(file)?.length === 1
  if (!isOwn) return { output: "", total_bytes: 0, truncated: false }
  const { size } = workspace.stat(file)
  const from = Math.max(size - TAIL_BYTES, 0)
  const bytes = workspace.readSlice(file, from, size)
  return { output: new TextDecoder().decode(bytes), total_bytes: size, truncated: from > 0 }
}
