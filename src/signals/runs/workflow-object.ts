// The Durable Object of a workflow's run: receives requests, pushes from its agents' sessions and alarms; continues the run.
// Invariant: an object whose run was never created, or was erased, answers `not_found_error` and writes nothing. The alarm
// is armed before the work that it guards.
import { DurableObject } from "cloudflare:workers"
import * as Effect from "effect/Effect"
import { tenantLoad } from "../../limits/tenant-load.ts"
import type { Actor } from "../../schemas/access.ts"
import type { WorkflowRun } from "../../schemas/api/workflows.ts"
import type { Env } from "../../schemas/env.ts"
import {
  errorResponse,
  ok,
  OTHER_REQUEST,
  repetitionRefusal,
  refused,
  type RpcResult,
  UNAVAILABLE,
} from "../../schemas/errors/rpc-error.ts"
import type { CreateRunArgs, RunSignalsQuery, SendSignalArgs, WorkflowRpc } from "../../schemas/rpc/workflow-rpc.ts"
import { deleteRun, insertRun, updateRun, withdrawRun } from "../../store/workflow-runs.ts"
import { encodeState } from "../state.ts"
import { registeredWorkflow } from "../workflows/registered.ts"
import { type AgentTurns, SessionTurns, turnsOf } from "./agent-turns.ts"
import { DurableRun, type NextCheck } from "./durable-run.ts"
import { ModelTurns } from "./model-turns.ts"
import { RunBook } from "./run-book.ts"
import { RunFeed } from "./run-feed.ts"
import type { RunRecord } from "./run-record.ts"
import { askedOf, erasedRun, listedRow, newRun, shownRun, signalsPage, recordedRunPage, stateOf } from "./run-report.ts"

/** After this time, the alarm resumes work that a lost process has left, and retries failed work. */
const GUARD_MS = 30_000

export class WorkflowObject extends DurableObject<Env> implements WorkflowRpc {
  readonly #book: RunBook
  readonly #turns: AgentTurns
  readonly #run: DurableRun
  readonly #feed: RunFeed
  /** The time for which the alarm is set, in milliseconds since 1970; null if none is known. */
  #alarmAt: number | null = null
  #listing: Promise<void> | null = null
  #withdrawing: Promise<void> | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const now = () => Date.now()
    this.#book = new RunBook({ sql: ctx.storage.sql, transactionSync: (run) => ctx.storage.transactionSync(run), now })
    const models = new ModelTurns({
      env,
      keepAlive: (request) => ctx.waitUntil(request),
      changed: () => this.#continueInBackground(() => this.#run.changed()),
    })
    this.#turns = turnsOf(new SessionTurns(env.SESSIONS), models)
    this.#feed = new RunFeed(ctx, this.#book)
    this.#run = new DurableRun({
      book: this.#book,
      turns: this.#turns,
      workflowOf: registeredWorkflow,
      now,
      publish: (signals) => this.#feed.publish(signals),
    })
    // Resumes the run that a previous process has left.
    const { run } = this.#book
    if (run !== null && run.endedAt === null) {
      if (!run.erasing) this.#run.takeOver()
      this.#continueInBackground()
    }
  }

  /** Sets the next alarm first, then continues the run. Never throws. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
    const { run } = this.#book
    if (run === null) return
    if (run.erasing) return this.#tryErasure(run)
    await this.#continue(() => this.#run.drive())
  }

  async create(args: CreateRunArgs): ReturnType<WorkflowRpc["create"]> {
    // What an earlier request has left in D1 is removed before the run is created anew.
    if (this.#book.run?.withdrawn === true && !(await this.#withdraw())) return UNAVAILABLE
    const { run, isErased } = this.#book
    if (isErased) return conflict("a run with this id was deleted; ids can't be reused")
    if (run !== null) return this.#existing(run, args)
    const workflow = registeredWorkflow(args.workflow)
    if (workflow === undefined) return NOT_FOUND
    const [tenant, id] = this.#name
    const state = await Effect.runPromise(encodeState(workflow, workflow.initialState))
    // Another request may have created the run in the meantime.
    if (this.#book.run !== null) return this.#existing(this.#book.run, args)
    const start = { name: "workflow:start", payload: args.input, depth: 0 }
    this.#guard()
    this.#book.create(newRun(tenant, id, args, Date.now()), JSON.stringify(state), start)
    const refused = await this.#enter()
    if (refused !== null) return refused
    this.#continueInBackground()
    return ok({ run: await this.#shown(this.#book.existing), created: true })
  }

  async #existing(run: RunRecord, { workflow, fingerprint }: CreateRunArgs): ReturnType<WorkflowRpc["create"]> {
    const exists = conflict("a run with this id exists")
    if (fingerprint === undefined || run.fingerprint === null) return exists
    const other = repetitionRefusal(run.fingerprint, fingerprint, exists)
    if (other !== null || run.workflow !== workflow) return other ?? OTHER_REQUEST
    const refused = run.listed === null ? await this.#enter() : null
    return refused ?? ok({ run: await this.#shown(this.#book.existing), created: false })
  }

  /**
   * Adds the run to D1's list; returns an error if the tenant is at its limit or D1 is not available. The run is then deleted
   * or, as D1 may list it although its answer was lost, withdrawn.
   */
  async #enter(): Promise<RpcResult<never> | null> {
    const run = this.#book.existing
    try {
      const { limits } = await this.env.TENANTS.getByName(run.tenant).limits()
      if (!(await Effect.runPromise(insertRun(this.env.DB, listedRow(run), limits.running_workflows, run.actor)))) {
        await this.#forget()
        return TOO_MANY
      }
    } catch {
      if (this.#book.run?.listed === null) this.#book.commit({ run: { withdrawn: true } })
      this.#guard()
      return UNAVAILABLE
    }
    if (this.#book.run?.listed === null) this.#book.commit({ run: { listed: "queued" } })
    return null
  }

  /** Removes a run whose creation failed from D1, then here. False when D1 is not available; the alarm retries. */
  async #withdraw(): Promise<boolean> {
    const [tenant, id] = this.#name
    this.#guard()
    this.#withdrawing ??= Effect.runPromise(withdrawRun(this.env.DB, { tenant, id }))
      .then(() => this.#forget())
      .finally(() => {
        this.#withdrawing = null
      })
    return this.#withdrawing.then(
      () => true,
      () => false,
    )
  }

  async #forget(): Promise<void> {
    this.#book.forget()
    await this.ctx.storage.deleteAlarm()
    this.#alarmAt = null
  }

  async info(workflow: string): ReturnType<WorkflowRpc["info"]> {
    return this.#with(workflow, async (run) => ok(await this.#shown(run)))
  }

  async signals(workflow: string, query: RunSignalsQuery): ReturnType<WorkflowRpc["signals"]> {
    return this.#with(workflow, () => signalsPage(this.#book, query))
  }

  async state(workflow: string, at?: number): ReturnType<WorkflowRpc["state"]> {
    return this.#with(workflow, () => stateOf(this.#book, at))
  }

  async send(workflow: string, args: SendSignalArgs): ReturnType<WorkflowRpc["send"]> {
    return this.#with(workflow, (run) => this.#send(run, args))
  }

  #send(run: RunRecord, { id, name, payload }: SendSignalArgs): Awaited<ReturnType<WorkflowRpc["send"]>> {
    const known = id === undefined ? undefined : this.#book.received(id)
    if (known !== undefined) {
      const isSame = known.name === name && JSON.stringify(known.payload) === JSON.stringify(payload)
      return isSame ? ok({ signal: known, sent: false }) : OTHER_REQUEST
    }
    if (run.endedAt !== null) return conflict(`the run has ended: it is ${run.status}`)
    const most = registeredWorkflow(run.workflow)?.limits.queue ?? 0
    if (run.outside >= most) return conflict(`${most} signals from outside are already waiting. Send it again later.`)
    this.#guard()
    const signals = this.#book.commit({ signals: [{ ...(id === undefined ? {} : { id }), name, payload, depth: 0 }] })
    this.#feed.publish(signals)
    this.#continueInBackground()
    const [signal] = signals
    if (signal === undefined) throw new Error("the signal was not written")
    return ok({ signal, sent: true })
  }

  async cancel(workflow: string): ReturnType<WorkflowRpc["cancel"]> {
    return this.#with(workflow, async (run) => {
      if (run.endedAt !== null && run.status !== "cancelled") return conflict(`the run has ended: it is ${run.status}`)
      if (run.endedAt === null) {
        this.#guard()
        const ended = { status: "cancelled", endedAt: Date.now(), current: null } as const
        const end = { name: "workflow:end", payload: { reason: "cancelled" }, depth: 0 }
        this.#feed.publish(this.#book.commit({ run: ended, signals: [end] }))
        this.#continueInBackground()
      }
      return ok(await this.#shown(this.#book.existing))
    })
  }

  async erase(workflow: string, actor: Actor): ReturnType<WorkflowRpc["erase"]> {
    return this.#with(workflow, async (run) => ok(await this.#erase(run, actor)), true)
  }

  async recordedPage(after: number): ReturnType<WorkflowRpc["recordedPage"]> {
    const { run } = this.#book
    return run === null ? NOT_FOUND : ok(recordedRunPage(this.#book, run, after))
  }

  async sessionChanged(session: string): Promise<void> {
    const { run } = this.#book
    if (run === null || run.endedAt !== null || run.current === null) return
    const isIts = this.#book.turns().some((row) => row.session === session && row.status === "running")
    if (isIts) this.#continueInBackground(() => this.#run.changed())
  }

  override async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const opened = await this.#with(searchParams.get("workflow") ?? "", ({ tenant }) =>
      this.#feed.open(searchParams.get("after") ?? "0", tenantLoad(this.env, tenant).limits.streams_per_session),
    )
    return opened.ok ? opened.value : errorResponse(opened.error)
  }

  get #name(): readonly [tenant: string, id: string] {
    const name = this.ctx.id.name ?? ""
    const slash = name.indexOf("/")
    return [name.slice(0, slash), name.slice(slash + 1)]
  }

  async #with<A>(
    workflow: string,
    use: (run: RunRecord) => Promise<RpcResult<A>> | RpcResult<A>,
    erasing = false,
  ): Promise<RpcResult<A>> {
    const { run } = this.#book
    // A run that D1 does not list yet is still being created.
    const isThere = run !== null && run.workflow === workflow && run.listed !== null && (erasing || !run.erasing)
    return isThere ? use(run) : NOT_FOUND
  }

  async #shown(run: RunRecord): Promise<WorkflowRun> {
    return shownRun(this.#book, await askedOf(this.#book, run, this.#turns))
  }

  /** Continues the run in the background of the request. */
  #continueInBackground(drive: () => Promise<NextCheck> = () => this.#run.drive()): void {
    this.ctx.waitUntil(this.#continue(drive))
  }

  /** Continues the run. Never rejects: after a failure, the alarm retries. */
  async #continue(drive: () => Promise<NextCheck>): Promise<void> {
    this.#guard()
    try {
      if (this.#book.run?.withdrawn === true) return void (await this.#withdraw())
      // The run's creation was interrupted before D1 listed it.
      if (this.#book.run?.listed === null && (await this.#enter()) !== null) return
      const next = await drive()
      await this.#list()
      await this.#sleepUntil(next)
    } catch (error) {
      this.#failed("a run could not continue and will be retried", error)
    }
  }

  #failed(message: string, error: unknown): void {
    const [, id] = this.#name
    const name = error instanceof Error ? error.name : "Error"
    console.error(JSON.stringify({ level: "warn", message, run: id, error: name }))
  }

  /** Sets the alarm to `GUARD_MS` from now, unless it is set for an earlier time. The work that follows resets it when it ends. */
  #guard(): void {
    const at = Date.now() + GUARD_MS
    if (this.#alarmAt !== null && this.#alarmAt <= at) return
    this.#alarmAt = at
    void this.ctx.storage.setAlarm(at)
  }

  async #sleepUntil(at: NextCheck): Promise<void> {
    const { run } = this.#book
    if (run === null || run.erasing) return
    const isListed = run.listed === run.status
    const next = isListed ? at : Math.min(at ?? Number.POSITIVE_INFINITY, Date.now() + GUARD_MS)
    this.#alarmAt = next
    if (next === null) await this.ctx.storage.deleteAlarm()
    else await this.ctx.storage.setAlarm(next)
  }

  /** Writes the run's status to D1's list if it has changed. */
  async #list(): Promise<void> {
    this.#listing ??= this.#listNow().finally(() => {
      this.#listing = null
    })
    await this.#listing
  }

  async #listNow(): Promise<void> {
    for (let { run } = this.#book; run !== null && run.listed !== run.status && !run.erasing; { run } = this.#book) {
      const { status } = run
      await Effect.runPromise(updateRun(this.env.DB, listedRow(run)))
      if (this.#book.run !== null) this.#book.commit({ run: { listed: status } })
    }
  }

  /** Erases the sessions of the run's agents, then the run. Rejects when a part fails; the alarm retries. */
  async #erase(run: RunRecord, actor: Actor) {
    this.#guard()
    if (!run.erasing) this.#book.commit({ run: { erasing: true, actor } })
    await this.#run.idle()
    const turns = this.#book.turns()
    // Another request may have erased the run in the meantime.
    const record = this.#book.run ?? run
    for (const turn of turns) await this.#turns.erase(record, turn)
    const now = Date.now()
    await Effect.runPromise(deleteRun(this.env.DB, record, record.actor, now))
    const receipt = erasedRun(record, turns, now)
    this.#feed.close()
    if (this.#book.run !== null) this.#book.erased()
    await this.ctx.storage.deleteAlarm()
    this.#alarmAt = null
    return receipt
  }

  async #tryErasure(run: RunRecord): Promise<void> {
    try {
      await this.#erase(run, run.actor)
    } catch (error) {
      this.#failed("a run could not be erased and will be retried", error)
    }
  }
}

const conflict = (message: string): RpcResult<never> => refused("conflict_error", message)

const NOT_FOUND = refused("not_found_error", "there is no such run")
const TOO_MANY = refused(
  "rate_limit_error",
  "the tenant's maximum number of runs is already in progress. Cancel some, or try again when one has ended.",
  { retry_after: 60 },
)
