// Writes into the workspace of a session that plays a recording what clients wrote before the same prompt.
import * as Effect from "effect/Effect"
import type { RecordingReader } from "../../recording/recording.ts"
import { hashRequest } from "../../recording/request-hash.ts"
import type { SessionCore } from "../core.ts"
import { applyChange, FILE_CHANGE, fileChangeOf } from "./client-files.ts"
import type { Ordinals } from "./ordinals.ts"
import type { NewRow } from "./recorded-table.ts"

/** A change that can't be read or made is a defect. `used` is called with each that was made. */
export const playFiles = Effect.fnUntraced(function* (
  { inbox, workspace }: Pick<SessionCore, "inbox" | "workspace">,
  reader: RecordingReader,
  ordinals: Ordinals,
  turn: string,
  used: (answer: Pick<NewRow, "kind" | "hash" | "ordinal">) => void,
): Effect.fn.Return<void> {
  const entry = inbox.find(turn)
  if (entry === undefined) return
  const before = inbox.countThrough(entry.seq - 1)
  const { hash } = hashRequest(FILE_CHANGE)
  for (;;) {
    const ordinal = ordinals.take("tool", hash)
    const found = yield* reader.find("tool", hash, ordinal)
    const change = found === null ? null : fileChangeOf(found.response)
    if (change === null || change.prompts > before) return ordinals.release("tool", hash, ordinal)
    applyChange(workspace, change)
    used({ kind: "tool", hash, ordinal })
  }
})
