// Receives a place in the log; returns which checkpoint has the files as they were right after that event.
// Invariant: between turns it is the state that the next turn began with, or the one of now; within a turn the state that this
// turn began with. What a copy has of its parent's turns has no files here.
import { EventNames } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"

type Source = Pick<SessionCore, "context" | "inbox" | "log" | "workspace">

/** `checkpoint` is null where it is the files of now. `within`: the turn that ran then may have changed files since. */
export interface TreePlace {
  readonly checkpoint: string | null
  readonly within: boolean
}

type Begin = { readonly seq: number; readonly name: string; readonly turn: string | null }

/** Undefined when no checkpoint has the files of then. */
export const treeAt = (source: Source, seq: number): TreePlace | undefined => {
  const running = runningAt(source, seq)
  if (running !== undefined) return existing(source, running, true)
  for (let after = seq; ;) {
    const next = nextMark(source, after)
    if (next === undefined) return { checkpoint: null, within: false }
    if (next.name !== EventNames.headMoved) return existing(source, next.turn ?? "", false)
    // The files before a head was moved together with them.
    const { files } = source.log.atNamed(next.seq, EventNames.headMoved)?.event.payload ?? {}
    if (files !== undefined) return existing(source, files.before, false)
    after = next.seq
  }
}

const existing = ({ workspace }: Source, checkpoint: string, within: boolean): TreePlace | undefined =>
  workspace.hasCheckpoint(checkpoint) ? { checkpoint, within } : undefined

/** The turn that had begun and had no result yet. */
const runningAt = ({ context, inbox }: Source, seq: number): string | undefined => {
  const rows = context.sql.exec<Begin>(
    "SELECT seq, name, turn FROM events WHERE seq <= ? AND name = 'sdk:system/init' ORDER BY seq DESC LIMIT 1",
    seq,
  )
  const { turn } = rows.toArray()[0] ?? { turn: null }
  if (turn === null) return undefined
  const { resultSeq } = inbox.find(turn) ?? { resultSeq: 0 }
  return resultSeq === null || resultSeq > seq ? turn : undefined
}

const nextMark = ({ context }: Source, after: number): Begin | undefined =>
  context.sql
    .exec<Begin>(
      "SELECT seq, name, turn FROM events WHERE seq > ? AND name IN ('sdk:system/init', ?) ORDER BY seq LIMIT 1",
      after,
      EventNames.headMoved,
    )
    .toArray()[0]
