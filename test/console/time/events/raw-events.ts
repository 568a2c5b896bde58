// Raw events that differ only in their seq.
import type { RawEvent } from "../../../../src/console/time/past/marks.ts"

export const rawEvent = (seq: number): RawEvent => ({
  seq,
  name: "session:changed",
  uuid: `${seq}`,
  turn: null,
  parent_tool_use_id: null,
  at: 0,
  payload: null,
})

/** Events with descending seqs. */
export const downFrom = (seq: number, length: number) => Array.from({ length }, (_, index) => rawEvent(seq - index))
