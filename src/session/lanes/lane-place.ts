// The place of a session's turn in its tenant's lane: receives turns that are about to start or continue; resolves when they
// may.
// Invariants: for a tenant without a limit nothing is called and nothing written; a turn that has lost its place runs no
// further step until it has a new one.
import type { LaneAnswer, LaneRpc } from "../../schemas/rpc/lane-rpc.ts"
import type { LaneInfo, TurnLane } from "../../schemas/rpc/turns.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { inTime } from "../../store/store-error.ts"
import type { SessionCore } from "../core.ts"
import type { InboxEntry } from "../storage/inbox.ts"

/** Pauses between calls to a lane that can't be reached (ms), and the number of attempts of a call that nothing waits for. */
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2000
const MAX_CALLS = 8

/** What a wait needs from its runner. */
export interface LaneWait {
  /** Resolves when the turn is stopped before it runs. */
  readonly stopped: Promise<unknown>
  /** False when the turn must not run any more, or another runner has it. */
  readonly isNext: () => boolean
  /** Counts a check of the lane as a step; true when another invocation of the object must continue the wait. */
  readonly countStep: () => boolean
  /** Called when the lane has answered that the turn waits. */
  readonly waits: () => void
}

export type LaneOutcome = "entered" | "stopped" | "handed_over"

interface Waiting {
  readonly turn: string
  /** Null until the lane has answered that the turn waits. */
  lane: TurnLane | null
}

interface GrantedPlace {
  readonly turn: string
  /** 0 when the tenant had no limit after all. */
  readonly generation: number
}

export class LanePlace {
  readonly #core: SessionCore
  #granted: GrantedPlace | null = null
  #waiting: Waiting | null = null
  #lost = false

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** The turn's position in the lane's queue; undefined when it does not wait. */
  waitOf(turn: string): TurnLane | undefined {
    return this.#waiting?.turn === turn ? (this.#waiting.lane ?? undefined) : undefined
  }

  /** The same as the API shows it. */
  info(turn: string | undefined): LaneInfo | undefined {
    const lane = turn === undefined ? undefined : this.waitOf(turn)
    return lane === undefined ? undefined : { ...lane, since: new Date(lane.since).toISOString() }
  }

  /** True while the turn has a place for which others may wait. */
  get hasPlace(): boolean {
    return this.#granted !== null && this.#granted.generation > 0
  }

  /** True when the turn has lost its place and needs a new one before its next step. */
  get isLost(): boolean {
    return this.#lost
  }

  /** Waits for the turn's place; null when it needs none, or has it. */
  enter(entry: InboxEntry, wait: LaneWait): Promise<LaneOutcome> | null {
    const { capture, share } = this.#core
    if (this.#granted?.turn === entry.turn && !this.#lost) return null
    // A session that plays a recording sends no requests, so it needs no place.
    if (capture?.sends === false) return null
    const most = share.laneTurns
    if (typeof most === "number") return most > 0 ? this.#enter(entry, wait) : null
    return most.then((limit) => (limit > 0 ? this.#enter(entry, wait) : "entered"))
  }

  async #enter(entry: InboxEntry, { stopped, isNext, countStep, waits }: LaneWait): Promise<LaneOutcome> {
    const { turn } = entry
    const { now } = this.#core.context
    const waiting: Waiting = { turn, lane: this.#loggedWait(entry) }
    this.#waiting = waiting
    const begun = waiting.lane?.since ?? now()
    const stop = stopped.then(() => "stopped" as const)
    // A turn that continues queues by the time of its start, ahead of all that arrived later.
    let since = this.#begunAt(turn) ?? waiting.lane?.since ?? null
    let known: number | null = null
    for (let pause = FIRST_PAUSE_MS; ;) {
      const asked = this.#ask({ session: this.#core.id, turn, since, known })
      const answer = await Promise.race([asked, stop])
      if (answer === "stopped" || this.#waiting !== waiting || !isNext()) return this.#giveUp(waiting)
      if (answer === null) {
        known = null
        await Promise.race([after(pause), stop])
        pause = Math.min(2 * pause, MAX_PAUSE_MS)
      } else if (answer.entered) {
        // The lane has given the place to the waiting session, and keeps it only if the session confirms it.
        const isThere = known === null || (await this.#renewed(answer.generation))
        if (this.#waiting !== waiting || !isNext()) return this.#giveUp(waiting)
        if (isThere) return this.#entered(waiting, answer.generation)
        known = null
      } else if (answer.position > 0) {
        pause = FIRST_PAUSE_MS
        since = answer.since
        known = answer.position
        waits()
        this.#waits(waiting, { position: answer.position, limit: answer.limit, since: begun })
      }
      if (countStep()) return "handed_over"
    }
  }

  #waits(waiting: Waiting, lane: TurnLane): void {
    const { position, limit } = waiting.lane ?? {}
    waiting.lane = lane
    if (position === lane.position && limit === lane.limit) return
    this.#core.append([{ name: EventNames.laneWaiting, payload: lane, turn: waiting.turn }])
  }

  #entered({ turn, lane }: Waiting, generation: number): LaneOutcome {
    this.#granted = { turn, generation }
    this.#lost = false
    this.#waiting = null
    if (lane !== null) {
      const waited = { waited_ms: Math.max(0, this.#core.context.now() - lane.since) }
      this.#core.append([{ name: EventNames.laneEntered, payload: waited, turn }])
    }
    return "entered"
  }

  #giveUp(waiting: Waiting): LaneOutcome {
    if (this.#waiting !== waiting) return "stopped"
    this.#waiting = null
    const { turn } = waiting
    this.#send((lane) => lane.cancel({ session: this.#core.id, turn }))
    return "stopped"
  }

  /** Releases the place, or stops waiting for it. Call it when the turn has ended, or waits for an answer. */
  leave(): void {
    if (this.#waiting !== null) this.#giveUp(this.#waiting)
    const granted = this.#granted
    this.#granted = null
    this.#lost = false
    if (granted === null || granted.generation === 0) return
    const { generation } = granted
    this.#send((lane) => lane.leave({ session: this.#core.id, generation }))
  }

  /**
   * Renews the place of a running turn. A turn that started before its tenant had a limit, or that lost its place, waits for
   * one before its next step.
   */
  renew(turn: string): void {
    const granted = this.#granted
    const { capture, context, share } = this.#core
    if (share.laneTurns === 0 || capture?.sends === false) return
    if (granted?.turn !== turn) {
      this.#lost = share.laneTurns instanceof Promise ? this.#lost : true
      return
    }
    const renewed = this.#lane.renew({ session: this.#core.id, generation: granted.generation }).then(
      (isThere) => {
        if (!isThere && this.#granted === granted) this.#lost = true
      },
      // A failed call is ignored: the lease outlasts the pause before the next one.
      () => undefined,
    )
    context.keepAlive(renewed)
  }

  /** The unfinished wait of an earlier process, from the log; null without one. */
  #loggedWait({ turn, seq }: InboxEntry): TurnLane | null {
    const { log } = this.#core
    const range = { after: seq, through: log.lastSeq, limit: Number.MAX_SAFE_INTEGER }
    const last = log.seqsNamed([EventNames.laneWaiting, EventNames.laneEntered], range).at(-1)
    const event = last === undefined ? undefined : log.at(last)?.event
    return event?.turn === turn && event.name === EventNames.laneWaiting ? event.payload : null
  }

  #begunAt(turn: string): number | null {
    const { asks, memory } = this.#core
    return asks.hasBegun(turn) ? (memory.accounting.tally?.startedAt ?? null) : null
  }

  /** A new stub for each call: one that has failed can't be used again. */
  get #lane(): LaneRpc {
    const { env, tenant } = this.#core.context
    return env.LANES.getByName(tenant)
  }

  /** Null when the lane can't be reached, or does not answer. */
  #ask(arrival: Parameters<LaneRpc["enter"]>[0]): Promise<LaneAnswer | null> {
    return inTime(() => this.#lane.enter(arrival)).catch(() => null)
  }

  #renewed(generation: number): Promise<boolean> {
    return inTime(() => this.#lane.renew({ session: this.#core.id, generation })).catch(() => false)
  }

  /** Makes a call that nothing waits for. If the lane can't be reached at all, the place is free when its lease ends. */
  #send(call: (lane: LaneRpc) => Promise<void>): void {
    const sent = async (): Promise<void> => {
      for (let calls = 1; calls <= MAX_CALLS; calls += 1) {
        const isDone = await call(this.#lane).then(
          () => true,
          () => false,
        )
        if (isDone) return
        await after(Math.min(FIRST_PAUSE_MS * 2 ** calls, MAX_PAUSE_MS))
      }
    }
    this.#core.context.keepAlive(sent())
  }
}

const after = (ms: number): Promise<null> => new Promise((resolve) => setTimeout(() => resolve(null), ms))
