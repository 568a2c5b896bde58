// Functions that the file tools share: permission checks, paths in results, and the workspace's errors as tool errors.
import * as Effect from "effect/Effect"
import type { ToolErrorReason } from "../../schemas/sdk/tools/tool-error-reason.ts"
import type { FileUse } from "../../workspace/file-rules.ts"
import { refuseUnallowed } from "../../workspace/tree/guarded-overlay.ts"
import type { Change } from "../../workspace/tree/node-store.ts"
import { oneLine } from "../../workspace/shown-name.ts"
import { namesOf } from "../../workspace/touched-path.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import { type ToolContext, ToolError } from "../tool.ts"

export const fail = (reason: ToolErrorReason, message: string): never => {
  throw new ToolError({ reason, message })
}

/** Throws ToolError when a rule now forbids this use of a file, under any of its names. */
export const mustBeAllowed = (use: FileUse, path: string, { workspace, files }: ToolContext): void => {
  const why = files.refusal(use, () => namesOf(workspace, path))
  if (why !== null) fail("permission_denied", `Permission denied: ${why}.`)
}

/** Returns a test for files, given by their real paths, that a rule forbids to read: searches skip them. */
export const isHidden =
  ({ files }: ToolContext) =>
  (path: string): boolean =>
    files.refusal("read", () => [path]) !== null

/** Applies a call's changes in the transaction of its result. Throws CommitRefused when one of them is no longer allowed. */
export const commitChanges = ({ workspace, files }: ToolContext, changes: ReadonlyArray<Change>): void => {
  refuseUnallowed(workspace, files, changes)
  workspace.apply(changes)
}

/** True if there is a file at a path, or a link to one. */
export const isFile = (workspace: Workspace, path: string): boolean =>
  workspace.exists(path) && workspace.stat(path).type === "file"

/** A path as results show it: relative when it is in the working directory. */
export const shownPath = (path: string, cwd: string): string => {
  if (path === cwd) return "."
  const base = cwd === "/" ? "/" : `${cwd}/`
  return path.startsWith(base) ? path.slice(base.length) : path
}

export const fileMissing = (path: string, cwd: string): ToolError =>
  new ToolError({
    reason: "not_found",
    message: `There is no file at ${oneLine(path)}. The working directory is ${cwd}.`,
  })

const toToolError = (error: WorkspaceError, cwd: string): ToolError => {
  if (error.code === "ENOENT") return fileMissing(error.path, cwd)
  if (error.code === "EISDIR") {
    return new ToolError({ reason: "command_failed", message: `${oneLine(error.path)} is a directory, not a file.` })
  }
  return new ToolError({ reason: "command_failed", message: error.message })
}

/** Runs synchronous workspace code; its errors become tool errors, anything else is a defect. */
export const onWorkspace = <A>(context: ToolContext, use: (workspace: Workspace) => A): Effect.Effect<A, ToolError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(use(context.workspace))
    } catch (error) {
      if (error instanceof ToolError) return Effect.fail(error)
      if (error instanceof WorkspaceError) return Effect.fail(toToolError(error, context.cwd))
      throw error
    }
  })

/** The error for overwriting a file that the model has not read. */
export const notRead = (path: string): ToolError =>
  new ToolError({
    reason: "invalid_arguments",
    message: `${path} has not been read in this session yet. Read it first, so that you do not overwrite content that you have not seen.`,
  })

/** The error for overwriting a file that has changed since the model read it. */
export const changedSince = (path: string, reason: ToolErrorReason = "invalid_arguments"): ToolError =>
  new ToolError({
    reason,
    message: `${path} has been changed since it was read. Read it again, so that you do not overwrite content that you have not seen.`,
  })

/** The error for writing to a file that is binary, or whose undecodable bytes would be lost. */
export const notText = (path: string): ToolError =>
  new ToolError({
    reason: "command_failed",
    message: `${path} is not UTF-8 text, or has NUL bytes, and can't be changed here. Change it with Bash, or remove it first to create it again.`,
  })

/** Throws ToolError when the model has not read a file, or the file has changed since. */
export const mustBeKnown = (path: string, { workspace, knownFiles }: ToolContext): void => {
  const knowledge = knownFiles.knowledge(workspace, path)
  if (knowledge === "none") throw notRead(path)
  if (knowledge === "stale") throw changedSince(path)
}
