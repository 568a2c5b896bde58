// Writes into the workspace of a session that plays a recording what clients wrote before the same prompt.
// Invariant: each change is made once, in the order in which it was recorded.
import * as Effect from "effect/Effect"
import type { RecordingReader } from "../../recording/recording.ts"
import { hashRequest } from "../../recording/request-hash.ts"
import type { SessionCore } from "../core.ts"
import { applyChange, FILE_CHANGE, fileChangeOf } from "./client-files.ts"
import type { Ordinals } from "./ordinals.ts"
import type { NewRow } from "./recorded-table.ts"

export class PlayedFiles {
  readonly #core: Pick<SessionCore, "inbox" | "log" | "workspace">
  readonly #ordinals: Ordinals
  #last: Promise<void> = Promise.resolve()

  constructor(core: Pick<SessionCore, "inbox" | "log" | "workspace">, ordinals: Ordinals) {
    this.#core = core
    this.#ordinals = ordinals
  }

  /** Runs one after the other, since a client may call several tools at once. `run` must not reject. */
  inOrder(run: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(run)
    return this.#last
  }

  /**
   * Makes the changes that were recorded before the prompt of a turn or, for null, up to now. A change that can't be read or
   * made is a defect. `used` is called with each change that was made.
   */
  readonly play = Effect.fnUntraced(
    { self: this },
    function* (
      this: PlayedFiles,
      reader: RecordingReader,
      turn: string | null,
      used: (answer: Pick<NewRow, "kind" | "hash" | "ordinal">) => void,
    ): Effect.fn.Return<void> {
      const before = this.#promptsBefore(turn)
      if (before === undefined) return
      const { hash } = hashRequest(FILE_CHANGE)
      for (;;) {
        const ordinal = this.#ordinals.take("tool", hash)
        const found = yield* reader.find("tool", hash, ordinal)
        const change = found === null ? null : fileChangeOf(found.response)
        if (change === null || change.prompts > before) return this.#ordinals.release("tool", hash, ordinal)
        applyChange(this.#core.workspace, change)
        used({ kind: "tool", hash, ordinal })
      }
    },
  )

  /** How many prompts precede that of the turn; undefined for an unknown turn. */
  #promptsBefore(turn: string | null): number | undefined {
    const { inbox, log } = this.#core
    if (turn === null) return inbox.countThrough(log.lastSeq)
    const entry = inbox.find(turn)
    return entry === undefined ? undefined : inbox.countThrough(entry.seq - 1)
  }
}
