// Receives a query about a session's files as they were right after an event; returns that page, file or diff.
// Invariant: it only reads. `files_at` is the event for which the files are known: the requested one or, within a turn, the
// last one up to it that has a snapshot.
import { FILES_AT_HEADER, type DiffQuery, type FilesPage } from "../../schemas/rpc/files.ts"
import type { Diff } from "../../schemas/api/files.ts"
import { diffBetween, PastTree } from "../../workspace/checkpoints/past-tree.ts"
import { errorResponse } from "../../schemas/errors/rpc-error.ts"
import type { SessionCore } from "../core.ts"
import { placeRefusal } from "../pages/session-at.ts"
import { isRefusal, type Refusal, refusalResponse, refuse } from "../refusal.ts"
import { diffFiles, NO_DIFFERENCE, noCheckpoint, readFile, rpcErrorOf, toFileInfo, toFilesPage } from "./files.ts"
import { type TreeAt, treeAt, type TreeSource } from "./tree-at.ts"
import { limitsOf } from "./workspace-limits.ts"

type Query = Parameters<typeof toFilesPage>[1] & { readonly at?: number }

const knownAt = (source: TreeSource, at: number): TreeAt | Refusal =>
  placeRefusal(source, at) ?? treeAt(source, at) ?? NOT_KNOWN

const NOT_KNOWN = refuse(
  "not_found_error",
  "at: this session does not have the files of that time, because that turn ran in the session that it was copied from. Send the request to that session.",
  "at",
)

/** A page of the current files, or of the files right after the event `at`. */
export const filesPage = (core: TreeSource, { at, ...query }: Query): FilesPage | Refusal => {
  if (at === undefined) return toFilesPage(core.workspace, query)
  const known = knownAt(core, at)
  return isRefusal(known)
    ? known
    : { ...pastPage(core, new PastTree(core.workspace, known.former), query), files_at: known.seq }
}

const pastPage = (
  { workspace }: Pick<SessionCore, "workspace">,
  past: PastTree,
  query: Omit<Query, "at">,
): FilesPage => {
  const { prefix, cursor = "", limit } = query
  const nodes = past.below(prefix === "" ? "/" : prefix).filter(([path]) => path > cursor)
  const files = nodes
    .slice(0, limit)
    .map(([path, { target, ...node }]) => toFileInfo({ path, ...node, ...(node.type === "symlink" ? { target } : {}) }))
  const { nodes: count, bytes } = past.totals()
  return {
    files,
    next_cursor: nodes.length > limit ? (files.at(-1)?.path ?? null) : null,
    limits: limitsOf(workspace),
    used: { files: count, bytes },
  }
}

/** `GET /files/ABSOLUTE/PATH?at=SEQ`. */
export const pastFile = (core: TreeSource, { headers }: Request, { pathname, searchParams }: URL): Response => {
  const known = knownAt(core, Number(searchParams.get("at")))
  if (isRefusal(known)) return refusalResponse(known)
  try {
    const path = decodeURIComponent(pathname.slice("/files".length))
    const response = readFile(new PastTree(core.workspace, known.former), path, headers)
    response.headers.set(FILES_AT_HEADER, String(known.seq))
    return response
  } catch (error) {
    return errorResponse(rpcErrorOf(error))
  }
}

/** What changed from a checkpoint to another one, to now, or to the event `at`. */
export const diffAt = (core: TreeSource, { at, ...query }: DiffQuery): Diff | Refusal => {
  const { workspace } = core
  if (at === undefined) return diffFiles(workspace, query)
  const known = knownAt(core, at)
  if (isRefusal(known)) return known
  const from = query.from ?? workspace.checkpoints()[0]
  if (from === undefined) return { from: null, to: null, ...NO_DIFFERENCE, files_at: known.seq }
  const start = workspace.formerNodesAt(from)
  if (start === undefined) return noCheckpoint(from)
  return { from, to: null, ...diffBetween(workspace.nodes, start, known.former), files_at: known.seq }
}
