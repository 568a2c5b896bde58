// Receives the file that a background task prints to; returns the end of its content, or writes a subagent's report to it.
import { WorkspaceError } from "../../workspace/workspace-error.ts"
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

/** Saves a subagent's report as its output file. Without room in the workspace it is in the log only. */
export const saveReport = (workspace: Workspace, file: string, report: string): void => {
  try {
    workspace.writeOwn(file, new TextEncoder().encode(report))
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
  }
}
