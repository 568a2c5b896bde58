// Requests that wait for a turn. Each checks again whenever the session has written something.
// Invariant: a check reads only memory while the turn is open; every wait ends at its time limit, and when the session is
// erased.
import type { TurnStatus, WaitUntil } from "../../schemas/rpc/turns.ts"
import type { SessionCore } from "../core.ts"
import { Waiters } from "../waiters.ts"

/** What the waits need of the session. */
type WaitsCore = Pick<SessionCore, "askStore" | "inbox" | "life" | "turns">

export class TurnWaits {
  readonly #core: WaitsCore
  readonly #waiters = new Waiters()

  constructor(core: WaitsCore) {
    this.#core = core
  }

  /** Call it after each write, and when the session was erased. */
  changed(): void {
    this.#waiters.check()
  }

  /**
   * Resolves when the turn has ended, when it waits for an answer (`until` "action"), or after `timeoutMs`. Undefined when
   * the session never had the turn, or was erased.
   */
  async wait(turn: string, timeoutMs: number, until: WaitUntil = "action"): Promise<TurnStatus | undefined> {
    const { inbox, askStore, life, turns } = this.#core
    let open = turn
    const isOver = (): boolean => {
      if (!inbox.open.some((entry) => entry.turn === open)) {
        const entry = inbox.find(open)
        const host = entry === undefined ? undefined : turns.hostOf(entry)
        if (host === undefined || host.resultSeq !== null) return true
        open = host.turn
      }
      // Only the running turn asks, and turns behind it wait for the same answers.
      return until === "action" && askStore.open.length > 0
    }
    await this.until(isOver, timeoutMs)
    return life.isErased ? undefined : turns.status(turn)
  }

  /** Resolves when `isOver` returns true, when the session was erased, or after `timeoutMs`. */
  async until(isOver: () => boolean, timeoutMs: number): Promise<void> {
    await this.#waiters.wait(() => this.#core.life.isErased || isOver(), timeoutMs)
  }
}
