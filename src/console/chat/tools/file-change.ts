// Receives the part of a call that changes a file; returns the change as hunks: those that the tool reported, else from its input.
import { type Hunk, hunksBetween } from "../../kit/diff-rows.ts"
import type { Part } from "../../store/frames.ts"

export interface FileChange {
  readonly path: string
  readonly hunks: ReadonlyArray<Hunk>
  readonly isNew: boolean
  /** False until the call has run, because the line numbers are not known before. */
  readonly hasLines: boolean
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

interface Reported {
  readonly type?: unknown
  readonly content?: unknown
  readonly originalFile?: unknown
  readonly structuredPatch?: unknown
  readonly original_file?: unknown
  readonly updated_file?: unknown
}

const isHunk = (value: unknown): value is Hunk =>
  typeof value === "object" && value !== null && "oldStart" in value && "lines" in value && Array.isArray(value.lines)

/** Returns null for other calls, and until the input has arrived. */
export const fileChange = ({ tool, state }: Part): FileChange | null => {
  const input = state?.input ?? {}
  const path = text(input["file_path"]) ?? text(input["notebook_path"])
  if (path === undefined || state === undefined) return null
  const result = state.metadata?.["tool_use_result"]
  const reported: Reported = typeof result === "object" && result !== null ? result : {}
  if (tool === "edit" || tool === "write") return ofFile(path, reported, input)
  return tool === "notebookedit" ? ofNotebook(path, reported, input) : null
}

/** The hunks that count as changed lines; null for other calls and for a call that failed or was stopped: it changed nothing. */
export const countedHunks = (part: Part): ReadonlyArray<Hunk> | null =>
  part.state?.status === "error" ? null : (fileChange(part)?.hunks ?? null)

const ofFile = (path: string, reported: Reported, input: Readonly<Record<string, unknown>>): FileChange | null => {
  const patch = Array.isArray(reported.structuredPatch) ? reported.structuredPatch.filter(isHunk) : []
  if (patch.length > 0) return { path, hunks: patch, isNew: false, hasLines: true }
  const content = text(input["content"])
  if (content !== undefined) {
    const before = text(reported.originalFile) ?? ""
    return { path, hunks: hunksBetween(before, content), isNew: before === "", hasLines: true }
  }
  const [before, after] = [text(input["old_string"]), text(input["new_string"])]
  if (before === undefined || after === undefined) return null
  return { path, hunks: hunksBetween(`${before}\n`, `${after}\n`), isNew: false, hasLines: false }
}

const ofNotebook = (path: string, reported: Reported, input: Readonly<Record<string, unknown>>): FileChange | null => {
  const [before, after] = [text(reported.original_file), text(reported.updated_file)]
  if (before !== undefined && after !== undefined)
    return { path, hunks: hunksBetween(before, after), isNew: before === "", hasLines: true }
  const source = text(input["new_source"])
  return source === undefined ? null : { path, hunks: hunksBetween("", source), isNew: false, hasLines: false }
}
