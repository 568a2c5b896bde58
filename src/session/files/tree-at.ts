// Receives a place in the log; returns the files as they were right after that event, or as near before it as they are known.
// Invariant: between turns they are what the next turn began with, or what there is now. Within a turn they are what the turn began
// with and what its steps had changed by then. Of turns that a copy has from its parent no files are known.
import { EventNames } from "../../schemas/log/events.ts"
import type { LoggedNode } from "../../schemas/log/file-events.ts"
import type { TreeNode } from "../../workspace/tree/node-store.ts"
import { ancestorsOf } from "../../workspace/paths.ts"
import type { SessionCore } from "../core.ts"

export type TreeSource = Pick<SessionCore, "context" | "inbox" | "log" | "workspace">

/** What paths held that have changed since. `seq` is the event right after which it was so. */
export interface TreeAt {
  readonly held: ReadonlyMap<string, TreeNode | null>
  readonly seq: number
}

type Begin = { readonly seq: number; readonly name: string; readonly turn: string | null }

/** Undefined when the files of then are not known. */
export const treeAt = (source: TreeSource, seq: number): TreeAt | undefined => {
  const running = runningAt(source, seq)
  if (running !== undefined) return within(source, running, seq)
  for (let after = seq; ;) {
    const next = nextMark(source, after)
    if (next === undefined) return { held: new Map(), seq }
    if (next.name !== EventNames.headMoved) return at(source, next.turn ?? "", seq)
    // The files before a head was moved together with them.
    const { files } = source.log.atNamed(next.seq, EventNames.headMoved)?.event.payload ?? {}
    if (files !== undefined) return at(source, files.before, seq)
    after = next.seq
  }
}

const at = ({ workspace }: TreeSource, checkpoint: string, seq: number): TreeAt | undefined => {
  const held = workspace.heldAt(checkpoint)
  return held === undefined ? undefined : { held, seq }
}

/** The turn that had begun and had no result yet, with its beginning. */
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

/** The files that a turn began with, with what its steps had changed up to an event. */
const within = (source: TreeSource, { turn, seq: begun }: Begin, through: number): TreeAt | undefined => {
  const held = source.workspace.heldAt(turn ?? "")
  if (held === undefined) return undefined
  let last = begun
  const places = source.log.seqsNamed([EventNames.snapshotTaken], { after: begun, through, limit: through })
  for (const seq of places) {
    const event = source.log.atNamed(seq, EventNames.snapshotTaken)?.event
    if (event?.turn !== turn) continue
    for (const change of event.payload.nodes) putChange(source, held, change, event.at)
    last = seq
  }
  return { held, seq: last }
}

/** Puts what a step left at a path among what paths held. */
const putChange = (
  { workspace }: TreeSource,
  held: Map<string, TreeNode | null>,
  { path, node }: LoggedNode,
  mtime: number,
): void => {
  const now = workspace.nodes.get(path)
  // The log has no directories: where one is now, it was there too.
  if (node === null && now?.type === "directory") return
  held.set(
    path,
    node === null ? null : { ...node, mtime, size: node.hash === "" ? 0 : workspace.blobs.sizeOf(node.hash) },
  )
  if (node === null) return
  for (const above of ancestorsOf(path)) {
    if (held.get(above) !== null) continue
    if (workspace.nodes.get(above)?.type === "directory") held.delete(above)
    else held.set(above, { type: "directory", mode: 0o755, mtime, size: 0, hash: "", target: "" })
  }
}
