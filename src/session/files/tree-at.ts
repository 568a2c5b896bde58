// Receives a seq of the log; returns the files as they were right after that event, or after the closest earlier one for
// which they are known.
// Invariant: between turns they are the files with which the next turn started, or the current ones. Within a turn they are
// the files with which it started and the changes of its steps until then. For turns that were copied from a parent no files
// are known.
import { EventNames } from "../../schemas/log/events.ts"
import type { LoggedNode } from "../../schemas/log/file-events.ts"
import type { TreeNode } from "../../workspace/tree/node-store.ts"
import { ancestorsOf } from "../../workspace/paths.ts"
import type { SessionCore } from "../core.ts"

export type TreeSource = Pick<SessionCore, "context" | "inbox" | "log" | "workspace">

/**
 * `former` has the former nodes of paths that have changed since, null where nothing was; `seq` is the event right after which
 * this was the state.
 */
export interface TreeAt {
  readonly former: ReadonlyMap<string, TreeNode | null>
  readonly seq: number
}

type Begin = { readonly seq: number; readonly name: string; readonly turn: string | null }

/** Undefined when the files are not known. */
export const treeAt = (source: TreeSource, seq: number): TreeAt | undefined => {
  const running = runningAt(source, seq)
  if (running !== undefined) return within(source, running, seq)
  for (let after = seq; ;) {
    const next = nextMark(source, after)
    if (next === undefined) return { former: new Map(), seq }
    if (next.name !== EventNames.headMoved) return at(source, next.turn ?? "", seq)
    // When the head was moved together with the files, a checkpoint of the files before it was made.
    const { files } = source.log.atNamed(next.seq, EventNames.headMoved)?.event.payload ?? {}
    if (files !== undefined) return at(source, files.before, seq)
    after = next.seq
  }
}

const at = ({ workspace }: TreeSource, checkpoint: string, seq: number): TreeAt | undefined => {
  const former = workspace.formerNodesAt(checkpoint)
  return former === undefined ? undefined : { former, seq }
}

/** The turn that was running at this seq, with its first event. */
const runningAt = ({ context, inbox }: TreeSource, seq: number): Begin | undefined => {
  const rows = context.sql.exec<Begin>(
    "SELECT seq, name, turn FROM events WHERE seq <= ? AND name = 'sdk:system/init' ORDER BY seq DESC LIMIT 1",
    seq,
  )
  const begun = rows.toArray()[0]
  const { resultSeq } = inbox.find(begun?.turn ?? "") ?? { resultSeq: 0 }
  return resultSeq === null || resultSeq > seq ? begun : undefined
}

const nextMark = ({ context }: TreeSource, after: number): Begin | undefined =>
  context.sql
    .exec<Begin>(
      "SELECT seq, name, turn FROM events WHERE seq > ? AND name IN ('sdk:system/init', ?) ORDER BY seq LIMIT 1",
      after,
      EventNames.headMoved,
    )
    .toArray()[0]

/** The files with which a turn started, with the changes of its steps up to an event. */
const within = (source: TreeSource, { turn, seq: begun }: Begin, through: number): TreeAt | undefined => {
  const former = source.workspace.formerNodesAt(turn ?? "")
  if (former === undefined) return undefined
  let last = begun
  const places = source.log.seqsNamed([EventNames.snapshotTaken], { after: begun, through, limit: through })
  for (const seq of places) {
    const event = source.log.atNamed(seq, EventNames.snapshotTaken)?.event
    if (event?.turn !== turn) continue
    for (const change of event.payload.nodes) putChange(source, former, change, event.at)
    last = seq
  }
  return { former, seq: last }
}

/** Adds the node that a step left at a path to `former`. */
const putChange = (
  { workspace }: TreeSource,
  former: Map<string, TreeNode | null>,
  { path, node }: LoggedNode,
  mtime: number,
): void => {
  const now = workspace.nodes.get(path)
  // The log has no directories: one that exists now is assumed to have existed then.
  if (node === null && now?.type === "directory") return
  former.set(
    path,
    node === null ? null : { ...node, mtime, size: node.hash === "" ? 0 : workspace.blobs.sizeOf(node.hash) },
  )
  if (node === null) return
  for (const above of ancestorsOf(path)) {
    if (former.get(above) !== null) continue
    if (workspace.nodes.get(above)?.type === "directory") former.delete(above)
    else former.set(above, { type: "directory", mode: 0o755, mtime, size: 0, hash: "", target: "" })
  }
}
