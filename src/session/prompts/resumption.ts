// Resumes a session: for another client, possibly from an earlier message, or as a copy of another session.
// Invariant: the session's limits and its runtime stay, no matter who resumes it.
import { isLasting } from "../../permissions/policy.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { SessionForked } from "../../schemas/log/session-events.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { maskOptions } from "../../schemas/sdk/options/masked-options.ts"
import { type Actor, actorField } from "../../schemas/access.ts"
import type { ReopenArgs } from "../../schemas/rpc/session.ts"
import { type HeadMove, headMove, workRefusal } from "../revert/head-move.ts"
import { withoutRevert } from "../revert/reverts.ts"
import { noMessage, seqOfMessage } from "../storage/head.ts"
import type { SessionRecord } from "../storage/meta.ts"
import { otherRequest, type Refusal, refuse } from "../refusal.ts"
import { refusalOf } from "../access/rights.ts"
import { runtimeRefusal, withRuntime } from "../recording/runtime-option.ts"
import { keptOptions } from "./kept-options.ts"
import { sameLimits } from "../session-wide.ts"
import type { SessionCore } from "../core.ts"

/** Maximum number of requests with an Idempotency-Key that are remembered. */
const MAX_REOPENS = 20

export class Resumption {
  readonly #core: SessionCore
  #starting: "resume" | null

  constructor(core: SessionCore) {
    this.#core = core
    this.#starting = core.meta.get("starting") ?? null
  }

  /**
   * Why the turn that starts now is a first one: `startup` in a session without a result, `resume` after it was resumed; null
   * for other turns.
   */
  get starting(): "startup" | "resume" | null {
    return this.#core.memory.accounting.results === 0 ? "startup" : this.#starting
  }

  /** True when these events are the start of a session that was resumed. */
  begins(events: ReadonlyArray<NewEvent>): boolean {
    return this.#starting !== null && events.some(isSessionStart)
  }

  /** Call inside the transaction that writes those events. */
  forgetStarting(): void {
    this.#core.meta.delete("starting")
  }

  /** Call it once they are committed. */
  begun(): void {
    this.#starting = null
  }

  /** True when this request has resumed the session before. */
  hasResumed(once: ReopenArgs["once"]): boolean {
    return once !== undefined && (this.#core.meta.get("reopens") ?? []).some(({ key }) => key === once.key)
  }

  /**
   * Resumes the session for another client: its options replace the last one's, and permission updates with the destination
   * `session` are dropped. The workspace's limits stay, as do the model and the system prompt until another is named. With
   * `at` the conversation continues after that message. Repeating the same `once` changes nothing. Returns the refusal, if
   * any.
   */
  resume({ options: given, at, once, actor }: ReopenArgs): Refusal | undefined {
    const { meta, context } = this.#core
    const before = meta.get("reopens") ?? []
    const same = once === undefined ? undefined : before.find(({ key }) => key === once.key)
    if (same !== undefined) return same.fingerprint === once?.fingerprint ? undefined : otherRequest
    if (this.#core.isClosed) return refuse("conflict_error", "the session is being deleted")
    if (at !== undefined && this.#core.inbox.head() !== undefined) {
      return refuse(
        "conflict_error",
        "a turn is open: a session can continue from an earlier message only between turns",
      )
    }
    const head = at === undefined ? null : seqOfMessage(context.sql, this.#core.log, at)
    if (at !== undefined && head == null) return noMessage(at)
    const working = head === null || head === undefined ? undefined : workRefusal(this.#core, head)
    if (working !== undefined) return working
    const { workspace_limits: limits } = this.#core.record.options
    if (given.workspace_limits !== undefined && !sameLimits(given.workspace_limits, limits)) return OTHER_LIMITS
    const otherRuntime = runtimeRefusal(this.#core.record.options, given)
    if (otherRuntime !== undefined) return otherRuntime
    const limited = limits === undefined ? withoutLimits(given) : { ...given, workspace_limits: limits }
    const named = withRuntime(this.#core.record.options, limited)
    const options = { ...named, ...keptOptions(this.#core.record.options, named) }
    const kept = this.#core.record.permission_updates.filter(isLasting)
    const known = at === undefined ? this.#core.record : withoutRevert(this.#core.record)
    const record: SessionRecord = { ...known, options, permission_updates: kept }
    const refused = refusalOf(actor, {
      before: this.#core.record,
      after: record,
      named: { options: named, permission_updates: [] },
    })
    if (refused !== undefined) return refused
    const payload = { options: maskOptions(options), reopened: true as const, ...actorField(actor) }
    const changed: NewEvent = { name: EventNames.sessionChanged, payload }
    const { events, later } = this.#move(head ?? null)
    const change = () => {
      meta.set("starting", "resume")
      if (once !== undefined) meta.set("reopens", [...before, once].slice(-MAX_REOPENS))
    }
    this.#core.changeRecord(record, [changed, ...events], change, later)
    this.#starting = "resume"
    return undefined
  }

  /** Appends what makes a copied session a fork: its parent, its idle state and, when it is cut back, its new head. */
  beginFork(parent: string, head: number | null, actor?: Actor): void {
    const { log, record } = this.#core
    const own = { title: record.title, metadata: record.metadata, options: maskOptions(record.options) }
    const payload: SessionForked = { parent, through: log.lastSeq, ...own, ...actorField(actor) }
    const forked: NewEvent = { name: EventNames.sessionForked, payload }
    const { events, later } = this.#move(head)
    this.#core.append([forked, ...this.#core.stateEvents(null, "idle"), ...events], () => undefined, later)
    this.#core.background.endCopied()
  }

  #move(head: number | null): Partial<HeadMove> & Pick<HeadMove, "events"> {
    return head === null ? { events: [] } : headMove(this.#core, { to_seq: head })
  }
}

const OTHER_LIMITS = refuse(
  "conflict_error",
  "options.workspace_limits differ from those of the session, which do not change when it is resumed. Leave them out, or change them with PATCH /v1/sessions/{id}.",
  "options.workspace_limits",
)

/** An empty object limits nothing. */
const withoutLimits = ({ workspace_limits: _, ...options }: SessionOptions): SessionOptions => options

const isSessionStart = ({ name, payload }: NewEvent): boolean =>
  name === EventNames.hookFired && payload.hook_event_name === "SessionStart"
