// The asks of a session, from the moment one is opened to the moment it is settled: by an answer, by its expiry, or by the
// end of its turn.
// Invariant: an ask and the events that announce it are written together; whatever waits for an ask gets its answer after the
// commit.
import { updatesOf } from "../../agent/calls/permission.ts"
import type { AskAnswer } from "../../agent/ports.ts"
import { type Actor, actorField } from "../../schemas/access.ts"
import type { AskOpened, PermissionFor } from "../../schemas/log/ask-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { approvalsOf } from "../../permissions/ruleset/ruleset.ts"
import { type Reply, readReply } from "./reply-answers.ts"
import { noAnswer, readAnswer } from "./ask-answers.ts"
import { logLine } from "../server-log.ts"
import type { AskRow } from "../storage/ask-store.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { isSameJson } from "../../schemas/json/same-json.ts"
import type { SessionCore } from "../core.ts"

/** How long an ask waits for its answer when the options don't set it. */
const ASK_TIMEOUT_MS = 24 * 60 * 60 * 1000

const UNANSWERED_TEXT = "The permission request was not answered in time, so it was denied."
const NO_OUTCOME_TEXT = "The outcome of this call was not reported in time, so it is unknown."
const NO_RESULT_TEXT = "No client returned the result of this call in time. Whether it took effect is unknown."

const VISIT = "action: the user answers by visiting input.url. Decline or cancel it to continue without the server."

/** Who sent an answer: a client of the control protocol by its name, and the sender's rights. Empty for the session's own. */
export interface AnswerSender {
  readonly client?: string | undefined
  readonly actor?: Actor | undefined
}

export class Asks {
  readonly #core: SessionCore
  /** The turn that waits for an answer with no fiber running. */
  #parked: string | null

  constructor(core: SessionCore) {
    this.#core = core
    this.#parked = core.meta.get("parked") ?? null
  }

  /** Opens an ask together with the events that announce it. */
  open(turn: string, question: Omit<AskOpened, "expires_at">, events: ReadonlyArray<NewEvent>, limit = Infinity): void {
    const timeout = Math.min(this.#core.runningOptions.ask_timeout_ms ?? ASK_TIMEOUT_MS, limit)
    const ask: AskOpened = { ...question, expires_at: this.#core.context.now() + timeout }
    const of = ask.detached === true ? null : turn
    const opened: NewEvent = { name: EventNames.askOpened, payload: ask, uuid: ask.request_id, turn: of }
    // As the official SDK: clients are notified that the session waits before they are asked.
    this.#core.append(
      [...events, ...(this.#precedes(turn, ask) ? [] : this.#core.stateEvents(of, "requires_action")), opened],
      () => this.#core.askStore.add(ask, turn, this.#core.context.now()),
    )
    this.#core.context.alarm.arm(ask.expires_at)
    this.#core.maintenance.askOpened()
  }

  /** Settles an ask with a client's answer, or returns the refusal. The first answer counts; repeating it changes nothing. */
  answer(requestId: string, body: Readonly<Record<string, unknown>>, sender: AnswerSender = {}): Refusal | undefined {
    const { client, actor } = sender
    const ask = this.#core.askStore.find(requestId)
    if (ask === undefined) return refuse("not_found_error", "there is no such permission request in this session")
    const replied = readReply(ask.ask, body)
    const read = replied ?? readAnswer(ask.ask, body)
    if ("problem" in read) return misread(read)
    const answer = client === undefined ? withShownPlan(ask.ask, read.answer) : read.answer
    const given = replied !== null && "given" in replied ? replied.given : undefined
    const { permissions } = this.#core
    const refused =
      inputRefusal(ask.ask, answer, actor) ??
      permissions.refusal(ask.ask, updatesOf(answer), actor, client === undefined) ??
      (given === undefined ? undefined : permissions.saved.refusal(given, actor))
    if (refused !== undefined) return refused
    if (ask.ask.authorization === true && answer["action"] === "accept" && ask.settled === null) {
      // Accepting only means that a client sends its user to the page; the ask is settled by the sign-in itself.
      return client === undefined ? refuse("invalid_request_error", VISIT, "action") : undefined
    }
    if (ask.settled !== null) {
      const { reply } = ask.settled
      // An answer in another form saved nothing, so `always` does not repeat it.
      const same = given === undefined || given.reply === reply || (reply === undefined && given.reply !== "always")
      return same && JSON.stringify(ask.settled.answer) === JSON.stringify(answer)
        ? undefined
        : refuse("conflict_error", "this permission request was settled before")
    }
    if (given === undefined) this.settle([ask], { by: "client", answer }, sender)
    else this.#settleWithReply(ask, answer, given, sender)
    return undefined
  }

  /** Settles the ask with a reply. What it saves also settles the other open asks that it covers. */
  #settleWithReply(
    ask: AskRow,
    answer: AskAnswer["answer"],
    { reply, saves, scope }: Reply,
    sender: AnswerSender,
  ): void {
    const saved = this.#core.permissions.saved.made(saves, scope)
    const others = this.#core.askStore.open.filter(
      (other) => other.requestId !== ask.requestId && covers(saves, other.ask),
    )
    const settled: AskAnswer = { by: "client", answer, reply, ...(saved.length === 0 ? {} : { saved }) }
    this.settle([ask, ...others], settled, sender)
  }

  /**
   * Settles asks with one answer, in one transaction, and resumes their turn. Approvals that the answer saves are saved once,
   * with the first ask.
   */
  settle(asks: ReadonlyArray<AskRow>, settled: AskAnswer, sender: AnswerSender = {}): void {
    if (asks.length === 0) return
    const { permissions } = this.#core
    this.#core.capture?.settling(asks, settled)
    const turn = asks[0] === undefined ? null : turnOf(asks[0])
    const left = this.#core.askStore.open.length - asks.length
    const runs = this.#core.inbox.head() !== undefined || this.#core.background.hasAgents
    const { record, events } = permissions.updated(turn, updatesOf(settled.answer))
    this.#core.changeRecord(
      permissions.saved.added(record, settled.saved ?? []),
      [
        ...asks.map((ask, index) => settledEvent(ask, index === 0 ? settled : unsaved(settled), sender)),
        ...events,
        // The first messages of a turn announce its state themselves.
        ...(left > 0 || asks.every((row) => this.#precedes(row.turn, row.ask))
          ? []
          : this.#core.stateEvents(turn, runs ? "running" : "idle")),
      ],
      () => {
        for (const ask of asks) this.#core.askStore.settle(ask.requestId, settled)
        this.forgetParked()
      },
    )
    this.unparked()
    for (const ask of asks) this.#core.askStore.wake(ask.requestId, settled)
    this.#core.wake()
    this.#core.background.resumeAgents()
  }

  /** Settles the asks that have expired, each with the `noAnswer` of its kind. */
  expire(): void {
    const now = this.#core.context.now()
    const late = this.#core.askStore.open.filter((ask) => ask.expiresAt <= now)
    const calls = late.filter(isOfKind("client_tool"))
    const outcomes = late.filter(isOfKind("outcome"))
    const elicitations = late.filter(isOfKind("elicitation"))
    const permissions = late.filter((ask) => ![...calls, ...outcomes, ...elicitations].includes(ask))
    this.#trySettle(permissions, { by: "expiry", answer: noAnswer("permission", UNANSWERED_TEXT) })
    this.#trySettle(outcomes, { by: "expiry", answer: noAnswer("outcome", NO_OUTCOME_TEXT) })
    this.#trySettle(calls, { by: "expiry", answer: noAnswer("client_tool", NO_RESULT_TEXT) })
    this.#trySettle(elicitations, { by: "expiry", answer: noAnswer("elicitation", "") })
  }

  /** As `settle`, at a start or an alarm, which must not fail. What can't be written now is settled at a later alarm. */
  #trySettle(asks: ReadonlyArray<AskRow>, settled: AskAnswer): void {
    try {
      this.settle(asks, settled)
    } catch (error) {
      logLine("error", "asks could not be settled", { session: this.#core.id, error })
    }
  }

  /**
   * Cancels the elicitations of the previous process: the connections on which MCP servers asked, and the calls that waited
   * for a sign-in, are gone. Sign-ins that precede their turn stay open.
   */
  cancelElicitations(): void {
    const open = this.#core.askStore.open.filter(
      ({ ask, turn }) => ask.kind === "elicitation" && !this.#precedes(turn, ask),
    )
    this.#trySettle(open, { by: "interrupt", answer: noAnswer("elicitation", "") })
  }

  /**
   * For a turn or an agent that ends with open asks: the events that settle them, `commit` for the transaction that writes
   * these, and `committed`, which wakes what waits for an answer, to call after it.
   */
  interrupted(isOver: (ask: AskRow) => boolean): {
    readonly events: ReadonlyArray<NewEvent>
    readonly commit: () => void
    readonly committed: () => void
  } {
    const open = this.#core.askStore.open.filter(isOver)
    for (const ask of open) this.#core.capture?.settling([ask], interruption(ask))
    return {
      events: open.map((ask) => settledEvent(ask, interruption(ask))),
      commit: () => {
        for (const ask of open) this.#core.askStore.settle(ask.requestId, interruption(ask))
      },
      committed: () => {
        const { askStore } = this.#core
        // After a transaction that was rolled back they are still open.
        const settled = open.filter(({ requestId }) => !askStore.open.some((row) => row.requestId === requestId))
        for (const ask of settled) askStore.wake(ask.requestId, interruption(ask))
      },
    }
  }

  /** True while a user must sign in to a server before the turn starts. */
  holdsUp(turn: string): boolean {
    return this.#core.askStore.open.some((row) => row.turn === turn && this.#precedes(turn, row.ask))
  }

  /** Whether the turn starts only after the answer. */
  #precedes(turn: string, ask: Pick<AskOpened, "authorization">): boolean {
    return ask.authorization === true && !this.hasBegun(turn)
  }

  /** True when the log holds the turn's first events. */
  hasBegun(turn: string): boolean {
    const { tally } = this.#core.memory.accounting
    return tally?.turn === turn && tally.started
  }

  park(turn: string): void {
    // The answer may have come while the turn was ending.
    const waits = this.#core.askStore.open.some((ask) => ask.turn === turn)
    if (!waits || this.#core.inbox.head()?.turn !== turn) return
    this.#core.meta.set("parked", turn)
    this.#parked = turn
  }

  parkedEntry(): InboxEntry | undefined {
    const head = this.#core.inbox.head()
    return head !== undefined && head.turn === this.#parked ? head : undefined
  }

  /** True while the head of the inbox waits for an answer and no prompt replaces it. */
  get holdsHead(): boolean {
    return this.parkedEntry() !== undefined && !this.#core.inbox.isReplaced
  }

  /** Call inside the transaction after which no turn is parked. */
  forgetParked(): void {
    if (this.#parked !== null) this.#core.meta.delete("parked")
  }

  /** Call it once the transaction of `forgetParked` is committed. */
  unparked(): void {
    this.#parked = null
  }
}

const misread = ({ problem, field }: { readonly problem: string; readonly field?: string }): Refusal =>
  refuse("invalid_request_error", field === undefined ? problem : `${field}: ${problem}`, field)

const unsaved = ({ saved: _, ...settled }: AskAnswer): AskAnswer => settled

/** Whether these allow everything that the ask needs. Never true for an ask of a hook, or of a rule that asks each time. */
const covers = (saves: ReadonlyArray<PermissionFor>, { kind, approval }: AskOpened): boolean => {
  if (saves.length === 0 || kind !== "permission" || approval === undefined || approval.always.length === 0)
    return false
  const approvals = approvalsOf(saves)
  return approval.needs.every(
    ({ permission, pattern: text }) => approvals.judge({ permission, text, loose: [] }).outcome === "allow",
  )
}

const isOfKind =
  (kind: AskOpened["kind"]) =>
  ({ ask }: AskRow): boolean =>
    ask.kind === kind

const interruption = ({ ask }: AskRow): AskAnswer => {
  const answer = noAnswer(ask.kind, "The turn was interrupted.")
  return { by: "interrupt", answer: "behavior" in answer ? { ...answer, interrupt: true } : answer }
}

/**
 * Why an answer may not change the call's input. Input that is sent back as the ask has it, decoded or as it was shown, is no
 * change, nor is an empty one.
 */
const inputRefusal = (
  { kind, input, told_input: shown }: AskOpened,
  answer: Readonly<Record<string, unknown>>,
  actor: Actor | undefined,
): Refusal | undefined => {
  const updated = answer["updatedInput"]
  // The input of a question or a plan is the user's answer.
  if (
    actor?.ticket === undefined ||
    actor.roles.includes("control") ||
    updated === undefined ||
    (kind !== "permission" && kind !== "outcome")
  ) {
    return undefined
  }
  if ([input, shown, {}].some((known) => isSameJson(known, updated))) return undefined
  const message = "updatedInput: with a ticket without the role control, an answer can't change the call's input"
  return refuse("permission_error", message, "updatedInput")
}

/** The API shows a plan that the call itself contains; who accepts the ask there accepts it. Clients of the control protocol don't get it. */
const withShownPlan = ({ kind, input }: AskOpened, answer: AskAnswer["answer"]): AskAnswer["answer"] =>
  kind === "plan" && answer["behavior"] === "allow" ? { updatedInput: input, ...answer } : answer

const settledEvent = (ask: AskRow, settled: AskAnswer, { client, actor }: AnswerSender = {}): NewEvent => ({
  name: EventNames.askSettled,
  payload: { request_id: ask.requestId, ...settled, ...(client === undefined ? {} : { client }), ...actorField(actor) },
  turn: turnOf(ask),
})

/** The turn of an ask's events; null for an ask of a background subagent, which belongs to no turn. */
const turnOf = ({ turn, ask }: AskRow): string | null => (ask.detached === true ? null : turn)
