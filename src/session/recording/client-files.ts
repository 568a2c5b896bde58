// Files that clients write into the workspace of a recorded session: a playback writes them before the same prompt.
// Invariant: a change is applied once, in the order in which it was made, and before the turn that could first see it.
import * as Schema from "effect/Schema"
import type { Json } from "../../recording/request-hash.ts"
import { childOf } from "../../workspace/paths.ts"
import type { Workspace } from "../../workspace/workspace.ts"

/** The request under which changes are recorded: its n-th answer is the n-th change. */
export const FILE_CHANGE: Json = { client: "file" }

const at = { path: Schema.String, /** Prompts that had been sent. */ prompts: Schema.Int }

const FileChange = Schema.Union([
  Schema.Struct({ ...at, gone: Schema.Literal(true) }),
  Schema.Struct({ ...at, directory: Schema.Literal(true), mode: Schema.Int }),
  Schema.Struct({ ...at, link: Schema.String }),
  Schema.Struct({ ...at, base64: Schema.String, mode: Schema.Int }),
])
export type FileChange = typeof FileChange.Type

export const fileChangeOf: (response: Json) => FileChange = Schema.decodeUnknownSync(FileChange)

/** The changes that make what is at the path now, and below it. */
export function* changesAt(workspace: Workspace, path: string, prompts: number): Generator<FileChange> {
  const name = path === "/" ? path : path.replace(/\/+$/, "")
  if (!exists(workspace, name)) return yield { path: name, prompts, gone: true }
  yield* nodesAt(workspace, name, prompts)
  // What a client writes through a link is where the link leads.
  if (workspace.lstat(name).type === "symlink" && workspace.exists(name))
    yield* nodesAt(workspace, workspace.realpath(name), prompts)
}

function* nodesAt(workspace: Workspace, path: string, prompts: number): Generator<FileChange> {
  const { type, mode } = workspace.lstat(path)
  if (type === "symlink") return yield { path, prompts, link: workspace.readlink(path) }
  if (type === "file")
    return yield { path, prompts, mode, base64: Buffer.from(workspace.readBytes(path)).toString("base64") }
  yield { path, prompts, directory: true, mode }
  for (const entry of workspace.readdir(path)) yield* nodesAt(workspace, childOf(path, entry.name), prompts)
}

const exists = (workspace: Workspace, path: string): boolean => {
  try {
    workspace.lstat(path)
    return true
  } catch {
    // `lstat` finds a link even without its target; it fails only for a path without a node.
    return false
  }
}

export const applyChange = (workspace: Workspace, change: FileChange): void => {
  const { path } = change
  if ("gone" in change) return workspace.remove(path, { recursive: true, force: true })
  if ("link" in change) {
    workspace.remove(path, { recursive: true, force: true })
    return workspace.symlink(change.link, path)
  }
  if (path === "/") return
  if ("directory" in change) workspace.mkdir(path, { recursive: true })
  else workspace.writeBytes(path, new Uint8Array(Buffer.from(change.base64, "base64")))
  if (workspace.lstat(path).mode !== change.mode) workspace.chmod(path, change.mode)
}
