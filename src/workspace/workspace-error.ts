// The one error of the workspace: a Node-style code and the workspace path, nothing of the host.
import { oneLine } from "./shown-name.ts"

const TEXT = {
  EACCES: "permission denied",
  ENOENT: "no such file or directory",
  EISDIR: "illegal operation on a directory",
  ENOTDIR: "not a directory",
  EEXIST: "file already exists",
  ENOTEMPTY: "directory not empty",
  EINVAL: "invalid argument",
  EFBIG: "file too large",
  EDQUOT: "workspace quota exceeded",
  ENAMETOOLONG: "file name too long",
  ELOOP: "too many levels of symbolic links",
} as const

export type WorkspaceErrorCode = keyof typeof TEXT

/** The error of a failed filesystem operation. `message` reads like Node's: `ENOENT: no such file or directory, open '/a'`. */
export class WorkspaceError extends Error {
  readonly code: WorkspaceErrorCode
  readonly path: string
  override readonly name = "WorkspaceError"

  constructor(code: WorkspaceErrorCode, operation: string, path: string, detail?: string) {
    const whole = oneLine(path)
    const shown = whole.length > 300 ? `${whole.slice(0, 300).toWellFormed()}…` : whole
    super(`${code}: ${detail ?? TEXT[code]}, ${operation} '${shown}'`)
    this.code = code
    this.path = path.toWellFormed()
  }
}
