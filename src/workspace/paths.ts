// Receives any path text; returns an absolute, normalized POSIX path within bounds.
// Invariant: a returned path begins with "/", has no ".", "..", empty segment or NUL, and ends without "/", except the root.
import { longerThan, MAX_NAME_BYTES, MAX_PATH_BYTES } from "../schemas/absolute-path.ts"
import { WorkspaceError } from "./workspace-error.ts"

/** Resolves `path` against `base` by its text alone; symlinks are resolved by the tree. */
export const normalizePath = (path: string, base = "/"): string => {
  if (!path.isWellFormed()) throw new WorkspaceError("EINVAL", "open", path, "path is not valid Unicode")
  if (path.includes("\0")) throw new WorkspaceError("EINVAL", "open", path, "path contains a NUL character")
  if (longerThan(path, MAX_PATH_BYTES))
    throw new WorkspaceError("ENAMETOOLONG", "open", path, "path is longer than 4096 bytes")
  const out: Array<string> = []
  for (const segment of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (segment === "" || segment === ".") continue
    if (segment === "..") {
      out.pop()
      continue
    }
    if (longerThan(segment, MAX_NAME_BYTES)) {
      throw new WorkspaceError("ENAMETOOLONG", "open", path, "a path segment is longer than 255 bytes")
    }
    out.push(segment)
  }
  const result = `/${out.join("/")}`
  if (longerThan(result, MAX_PATH_BYTES))
    throw new WorkspaceError("ENAMETOOLONG", "open", path, "path is longer than 4096 bytes")
  return result
}

export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0)) || "/"

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** `directory` + `name`, both already normal. */
export const childOf = (directory: string, name: string): string =>
  directory === "/" ? `/${name}` : `${directory}/${name}`

/** True when `path` is strictly below `directory`. */
export const isBelow = (path: string, directory: string): boolean =>
  path !== directory && path.startsWith(directory === "/" ? "/" : `${directory}/`)

/** All directories above `path`, nearest first, the root included. */
export const ancestorsOf = (path: string): Array<string> => {
  const out: Array<string> = []
  let current = path
  while (current !== "/") {
    current = parentOf(current)
    out.push(current)
  }
  return out
}
