// Receives the shown events; returns them in blocks, which the page lays out one by one.
// Invariant: the block of an event depends on its seq alone, so events that are added or dropped leave the other blocks unchanged.
import type { RawEvent } from "../past/marks.ts"

/** The seqs that share a block. */
const SEQS = 50

export interface EventBlock {
  readonly key: number
  readonly events: ReadonlyArray<RawEvent>
}

/** The blocks, in the order of the events. */
export const blocksOf = (events: ReadonlyArray<RawEvent>): ReadonlyArray<EventBlock> =>
  [...Map.groupBy(events, ({ seq }) => Math.floor(seq / SEQS))].map(([key, own]) => ({ key, events: own }))
