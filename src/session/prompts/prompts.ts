// The prompts of a session from their arrival to the start of their turn: queued, joined to a running turn, or cancelled.
// Invariant: a prompt's uuid names one turn, for ever.
import { looksLikeCommand } from "../../agent/commands/invocation.ts"
import type { JoiningPrompt } from "../../agent/turn-parts.ts"
import { isWhiteSpace, UNRUN } from "../../agent/messages/prompt-text.ts"
import { sdkEvent } from "../../agent/messages/sdk-messages.ts"
import type { TurnJoined, TurnOrigin, TurnQueued } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent, type NewEvent } from "../../schemas/log/events.ts"
import { maskOptions } from "../../schemas/sdk/options/masked-options.ts"
import { type Actor, actorField } from "../../schemas/access.ts"
import type { SubmitArgs, Submitted } from "../../schemas/rpc/turns.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import { otherRequest, type Refusal, refuse } from "../refusal.ts"
import { makeRevertFinal } from "../revert/reverts.ts"
import { limited } from "../lanes/tenant-share.ts"
import type { SessionCore } from "../core.ts"

/** The prompt with which the model continues a deferred call. */
const CONTINUE_TEXT = "Continue from where you left off."

/** Maximum number of prompts that become one turn; further ones become the next turn. */
const MAX_PROMPTS_IN_A_TURN = 100

/** True for prompts that may share a turn: those of a user over the control protocol that are no commands. */
const isGathered = ({ prompt, mayJoin, now, silent, synthetic, origin }: TurnQueued): boolean =>
  mayJoin === true &&
  now !== true &&
  silent !== true &&
  synthetic !== true &&
  origin === undefined &&
  !looksLikeCommand(prompt) &&
  !isWhiteSpace(prompt)

/** The maximum number of open asks that an error message lists. */
const NAMED_ASKS = 5

type Acknowledgeable = Pick<TurnQueued, "acknowledge" | "told">

/** True when the sender of a prompt is sent its state (`command_lifecycle`). Earlier versions logged this as `told`. */
export const isAcknowledged = ({ acknowledge, told }: Acknowledgeable): boolean => acknowledge === true || told === true

const acknowledgeField = (queued: Acknowledgeable) => (isAcknowledged(queued) ? { acknowledge: true as const } : {})

export class Prompts {
  readonly #core: SessionCore
  /** The prompt that was read last: a turn reads its own several times. */
  #read: { readonly entry: InboxEntry; readonly queued: TurnQueued } | null = null

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** `client` is the client of the control protocol that sent the prompt. */
  submit(args: SubmitArgs, client?: string): Submitted | Refusal {
    if (this.#core.isClosed) return refuse("conflict_error", "the session is being deleted")
    const known = this.#core.inbox.find(args.turn)
    if (known !== undefined) {
      if (known.fingerprint !== args.fingerprint) return otherRequest
      return this.#submitted(args.turn, known.seq, true)
    }
    const running = this.#core.inbox.head()
    const busy = running !== undefined
    if (busy && args.onBusy === "reject") return refuse("conflict_error", "the session is busy with another turn")
    const asked = busy && args.unlessAsked !== undefined ? this.#asked(running.turn, args.unlessAsked) : undefined
    const refused = asked ?? this.refusal(args, this.#core.inbox.open.length)
    if (refused !== undefined) return refused
    const before = busy ? [] : this.#continuation(client)
    const payload: TurnQueued = {
      prompt: args.prompt,
      options: maskOptions(args.options),
      ...(args.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: args.appendSystemPrompt }),
      ...(args.routing === undefined ? {} : { routing: args.routing }),
      ...args.manner,
      ...(args.run === undefined ? {} : { run: args.run }),
      ...(args.messageID === undefined ? {} : { messageID: args.messageID }),
      ...actorField(args.actor),
      ...this.#core.definitions.wantedBy(args.actor),
    }
    const queued: NewEvent = { name: EventNames.turnQueued, payload, uuid: args.turn, turn: args.turn }
    const seq = this.#core.log.lastSeq + before.length + 1
    this.#core.append([...before, queued, ...this.lifecycle(payload, args.turn, "queued")], () => {
      makeRevertFinal(this.#core)
      for (const [index, { name, turn }] of before.entries())
        if (name === EventNames.turnQueued)
          this.#core.inbox.add({ turn: String(turn), seq: seq - before.length + index, fingerprint: "" })
      const { later, now } = payload
      const place = { ...(later === true ? { later } : {}), ...(now === true ? { now } : {}) }
      const entry = { turn: args.turn, seq, fingerprint: args.fingerprint, ...place }
      this.#core.inbox.add(entry, client !== undefined && this.#mayWait(running))
      this.#core.turnSecrets.keep(args.turn, args.options)
    })
    this.#core.wake()
    return this.#submitted(args.turn, seq, false)
  }

  /**
   * Whether a prompt with the priority `now` is put before the running turn, instead of ending it. As the official SDK: a turn
   * whose prompt is still being checked by hooks starts again afterwards.
   */
  #mayWait(running: InboxEntry | undefined): boolean {
    if (running === undefined || !this.#core.memory.transcript.awaits(running.turn)) return false
    const tally = this.#core.memory.accounting.tallyOf(running.turn)
    return tally?.started !== true && tally?.announced !== true && this.queued(running).continues !== true
  }

  /** Why a new prompt is refused while `open` prompts are open, including the running one; undefined when it is not. */
  refusal(args: Pick<SubmitArgs, "run" | "options" | "routing" | "actor">, open: number): Refusal | undefined {
    const { changes, limits, runningTurn } = this.#core
    const { queued_prompts: most } = limits
    if (open > most) {
      return limited(
        `this session has reached its maximum number of queued prompts (${most}). Send it again when one has been answered.`,
      )
    }
    return runningTurn.runs.refusal(args.run) ?? changes.turnRefusal(runningTurn.routing.mostAllowed(args), args.actor)
  }

  /** The refusal of a prompt whose client would not be shown the asks that the turn before it waits for. */
  #asked(turn: string, given: ReadonlyArray<string>): Refusal | undefined {
    const open = this.#core.askStore.open
      .filter(({ turn: of, ask }) => of === turn && ask.detached !== true)
      .filter(({ ask }) => ask.kind !== "client_tool" || !given.includes(ask.tool_use_id))
    if (open.length === 0) return undefined
    const names = open.map(({ ask }) => `${ask.kind} ${ask.kind === "client_tool" ? ask.tool_use_id : ask.request_id}`)
    const more = names.length > NAMED_ASKS ? ` and ${names.length - NAMED_ASKS} more` : ""
    return refuse(
      "conflict_error",
      `the turn before waits for answers: ${names.slice(0, NAMED_ASKS).join(", ")}${more}. Send them first, or with the prompt.`,
    )
  }

  #submitted(turn: string, seq: number, replayed: boolean): Submitted {
    const { status = "queued", pending = [] } = this.#core.turns.status(turn) ?? {}
    return { turn_id: turn, status, pending, seq, replayed }
  }

  /** A prompt of Perch's own: its events, and `queue`, which adds it to the inbox in the transaction that writes them. */
  notice(
    text: string,
    origin: TurnOrigin,
  ): { readonly events: ReadonlyArray<NewEvent>; readonly queue: (written: ReadonlyArray<LogEvent>) => void } {
    const turn = this.#core.context.newUuid()
    const payload: TurnQueued = { prompt: text, options: {}, mayJoin: true, origin }
    const queued: NewEvent = { name: EventNames.turnQueued, payload, uuid: turn, turn }
    return {
      events: [...(this.#core.inbox.head() === undefined ? this.#continuation() : []), queued],
      queue: (written) => {
        makeRevertFinal(this.#core)
        for (const { name, seq, turn: id } of written) {
          if (name === EventNames.turnQueued && id !== null) this.#core.inbox.add({ turn: id, seq, fingerprint: "" })
        }
      },
    }
  }

  /**
   * The events before the next prompt if the conversation ends with calls that a hook deferred: that of a turn that continues them.
   * As the official SDK: if the prompt's client has been connected since then, they get a result instead, and are not run.
   */
  #continuation(client?: string): ReadonlyArray<NewEvent> {
    if (!this.hasDeferredCall) return []
    const { context, feed, inbox, memory } = this.#core
    const [last] = inbox.page({ limit: 1, order: "desc" })
    if (client !== undefined && last !== undefined && feed.listeners.isAttachedSince(client, last.seq))
      return memory.transcript.openCalls().map(({ id }) => ({
        name: EventNames.toolSkipped,
        payload: { tool_use_id: id, content: UNRUN },
      }))
    const turn = context.newUuid()
    const payload: TurnQueued = { prompt: CONTINUE_TEXT, options: {}, continues: true }
    return [{ name: EventNames.turnQueued, payload, uuid: turn, turn }]
  }

  /** True while the conversation ends with a call that a hook deferred. */
  get hasDeferredCall(): boolean {
    return this.#core.inbox.head() === undefined && this.#core.memory.transcript.openCalls().length > 0
  }

  /** The `command_lifecycle` message of a prompt; none unless its sender is sent the prompt's state. */
  lifecycle(queued: Acknowledgeable, turn: string, state: string): ReadonlyArray<NewEvent> {
    if (!isAcknowledged(queued)) return []
    const uuid = this.#core.context.newUuid()
    const session_id = this.#core.id
    return [sdkEvent(turn, "sdk:command_lifecycle", { command_uuid: turn, state, uuid, session_id })]
  }

  /**
   * Cancels queued prompts, which then never run; returns their turns. A ticket without the role `control` cancels only its
   * own.
   */
  cancelQueued(only?: string, by?: Actor): ReadonlyArray<string> {
    const all = by?.ticket === undefined || by.roles.includes("control")
    const waiting = this.#core.inbox.open
      .slice(1)
      .filter((entry) => only === undefined || entry.turn === only)
      .filter((entry) => all || this.queued(entry).actor?.ticket === by.ticket)
    if (waiting.length === 0) return []
    this.#core.append(
      waiting.flatMap((entry) => [
        { name: EventNames.turnCancelled, payload: {}, turn: entry.turn },
        ...this.#core.runningTurn.lifecycle(entry, "cancelled"),
      ]),
      (written) => {
        for (const entry of waiting) {
          const seq = written.find((event) => event.turn === entry.turn)?.seq
          if (seq !== undefined) this.#core.inbox.settle(entry.turn, seq)
          this.#core.turnSecrets.forget(entry.turn, this.queued(entry).options)
        }
      },
    )
    return waiting.map((entry) => entry.turn)
  }

  /** How many prompts of clients wait behind this turn; Perch's own, such as the end of a background command, do not count. */
  waitingBehind(turn: string): number {
    return this.#core.inbox.open.filter((entry) => {
      const { origin, continues } = this.queued(entry)
      return entry.turn !== turn && origin === undefined && continues !== true
    }).length
  }

  /** Joins the prompts that wait behind this one to its turn before it starts, up to the first that may not share it. */
  gather(entry: InboxEntry): void {
    const first = this.queued(entry)
    if (!isGathered(first) || !this.#core.memory.transcript.awaits(entry.turn)) return
    const waiting = this.#core.inbox.open.slice(1, MAX_PROMPTS_IN_A_TURN)
    const other = waiting.findIndex((next) => {
      const queued = this.queued(next)
      return !isGathered(queued) || queued.later !== first.later
    })
    const joining = other < 0 ? waiting : waiting.slice(0, other)
    if (joining.length === 0) return
    let before: TurnJoined = { turn: entry.turn, prompt: first.prompt, ...acknowledgeField(first) }
    // As the official SDK: all prompts but the last that have a uuid are echoed when they become one turn.
    const events = joining.flatMap((next): ReadonlyArray<NewEvent> => {
      const queued = this.queued(next)
      const payload: TurnJoined = { turn: next.turn, prompt: queued.prompt, first: true, ...acknowledgeField(queued) }
      const echo = isAcknowledged(before)
        ? this.#core.runningTurn.echo(entry.turn, before.turn, before.prompt, { early: true })
        : []
      before = payload
      return [...echo, { name: EventNames.turnJoined, payload, turn: entry.turn }]
    })
    this.#core.append(events, (written) => {
      for (const event of written)
        if (event.name === EventNames.turnJoined) this.#core.inbox.settle(event.payload.turn, event.seq)
    })
  }

  /**
   * Queued prompts that may join the running turn. As in the official SDK, prompts behind a queued command join too: the
   * command runs after the turn.
   */
  joining(turn: string): ReadonlyArray<JoiningPrompt> {
    const next: Array<JoiningPrompt> = []
    for (const entry of this.#core.inbox.open.slice(1)) {
      const queued = this.queued(entry)
      const { prompt, origin, synthetic } = queued
      if (queued.mayJoin !== true || queued.later === true || queued.now === true) break
      // A prompt that others have joined keeps its own turn.
      if (looksLikeCommand(prompt) || this.#core.memory.accounting.tallyOf(entry.turn) !== undefined) continue
      const payload: TurnJoined = {
        turn: entry.turn,
        prompt,
        ...(origin === undefined ? {} : { origin }),
        ...acknowledgeField(queued),
      }
      next.push({
        prompt,
        needsNoAnswer: queued.silent === true,
        events: [
          ...this.lifecycle(queued, entry.turn, "started"),
          { name: EventNames.turnJoined, payload, turn },
          ...(origin === undefined
            ? this.#core.runningTurn.echo(turn, entry.turn, prompt, { synthetic: synthetic === true })
            : []),
        ],
        ended: this.lifecycle(queued, entry.turn, "completed"),
        join: () => this.#core.inbox.settle(entry.turn, entry.seq),
      })
    }
    return next
  }

  /** The payload of a prompt's event. */
  queued(entry: InboxEntry): TurnQueued {
    const known = this.#read
    if (known?.entry.turn === entry.turn && known.entry.seq === entry.seq) return known.queued
    const queued = this.#core.log.atNamed(entry.seq, EventNames.turnQueued)?.event.payload
    if (queued === undefined) throw new Error("a prompt of the inbox is not in the log")
    this.#read = { entry, queued }
    return queued
  }

  /** Forgets the prompt that was read, after a transaction was rolled back. */
  reload(): void {
    this.#read = null
  }
}
