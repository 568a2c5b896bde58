// A session without its Durable Object: the real log, inbox, asks, workspace and loop over SQLite in memory, and the
// live model over a scripted Messages API. It can be cut off after any transaction and booted again from what was stored.
import { Layer, ManagedRuntime, Scheduler } from "effect"
import { liveModel } from "../../src/model/live-model.ts"
import type { MessagesApi } from "../../src/model/messages-api.ts"
import type { LogEvent } from "../../src/schemas/events.ts"
import type { SessionOptions } from "../../src/schemas/sdk/options.ts"
import { SessionLog } from "../../src/session/log.ts"
import { Meta } from "../../src/session/meta.ts"
import { Session } from "../../src/session/session.ts"
import { createTables } from "../../src/session/tables.ts"
import { turnServices } from "../../src/session/turn-services.ts"
import { TurnRunner } from "../../src/session/turn-runner.ts"
import { Workspace } from "../../src/workspace/workspace.ts"
import { openTwin, type Twin } from "../workspace/sql-twin.ts"

export const SESSION_ID = "0199a000-0000-7000-8000-00000000abcd"

export interface Booted {
  readonly session: Session
  readonly log: SessionLog
  readonly workspace: Workspace
  readonly runner: TurnRunner
  /** Resolves when the runner has nothing more to do. */
  readonly idle: () => Promise<void>
}

export class SessionHarness {
  readonly twin: Twin = openTwin()
  readonly #runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  /** Transactions committed since the last boot. */
  transactions = 0
  /** The process dies right after this many transactions. */
  dieAfter = Number.POSITIVE_INFINITY
  listeners = 0
  /** Milliseconds that the session's clock is ahead. */
  clockOffset = 0
  #epoch = 0

  constructor(apiUrl: string, options: SessionOptions = {}) {
    const scheduler = Layer.succeed(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"))
    this.#runtime = ManagedRuntime.make(Layer.mergeAll(liveModel({ baseUrl: apiUrl, apiKey: "test" }), scheduler))
    createTables(this.twin.sql)
    new Meta(this.twin.sql).set("session", {
      id: SESSION_ID,
      tenant: "test",
      cwd: "/workspace",
      title: null,
      metadata: {},
      options,
      fingerprint: null,
      permission_updates: [],
      created_at: 1_700_000_000_000,
    })
  }

  /** What a Durable Object does when it starts: reads what is stored and goes on with it. */
  boot(): Booted {
    this.#epoch += 1
    this.transactions = 0
    const epoch = this.#epoch
    const alive = () => {
      if (epoch !== this.#epoch || this.transactions >= this.dieAfter) throw new Error("the process has died")
    }
    const exec: Twin["sql"]["exec"] = (query, ...bindings) => {
      alive()
      return this.twin.sql.exec(query, ...bindings)
    }
    let depth = 0
    const transactionSync = <A>(run: () => A): A => {
      alive()
      depth += 1
      try {
        const value = this.twin.transactionSync(run)
        if (depth === 1) this.transactions += 1
        return value
      } finally {
        depth -= 1
      }
    }
    const sql = { exec }
    const now = () => Date.now() + this.clockOffset
    const newUuid = () => crypto.randomUUID()
    const meta = new Meta(sql)
    const record = meta.get("session")
    if (record === undefined) throw new Error("the harness has no session")
    const workspace = new Workspace({ sql, transactionSync }, now, { directories: ["/workspace"] })
    let ended: Promise<void> = Promise.resolve()
    const log: SessionLog = new SessionLog({
      sql,
      transactionSync,
      now,
      newUuid,
      onAppended: () => undefined,
      onRollback: () => session.rolledBack(),
    })
    const session: Session = new Session({
      sql,
      meta,
      log,
      workspace,
      record,
      now,
      newUuid,
      wake: () => runner.start(),
      alarmAt: () => undefined,
    })
    const services = {
      sql,
      workspace,
      now,
      newUuid,
      apiKeySource: "ANTHROPIC_API_KEY",
      emit: () => undefined,
      wantsPartials: () => false,
      listeners: () => this.listeners,
    }
    const runner: TurnRunner = new TurnRunner({
      sessionId: SESSION_ID,
      runtime: this.#runtime,
      next: () => session.runnable(),
      services: (entry, signal) => turnServices(session, services, entry, signal),
      park: (turn) => session.park(turn),
      heartbeat: () => undefined,
      idle: () => undefined,
      keepAlive: (work) => {
        ended = work
      },
      rowsWritten: () => this.twin.rowsWritten(),
      debug: false,
    })
    runner.start()
    const idle = async () => {
      for (let seen: Promise<void> | null = null; seen !== ended;) {
        seen = ended
        await seen
      }
    }
    return { session, log, workspace, runner, idle }
  }

  /** Ends whatever runs, as a power cut would: nothing of it can touch the storage again. */
  crash(): void {
    this.#epoch += 1
    this.dieAfter = Number.POSITIVE_INFINITY
  }

  async dispose(): Promise<void> {
    this.crash()
    await this.#runtime.dispose()
  }
}

/** Queues a prompt; the turn's id is returned. */
export const prompt = (session: Session, text: string, options: SessionOptions = {}): string => {
  const turn = crypto.randomUUID()
  const submitted = session.submit({ turn, prompt: text, onBusy: "queue", options, fingerprint: text })
  if ("refused" in submitted) throw new Error(submitted.refused.message)
  return turn
}

export const eventsOf = (log: SessionLog): ReadonlyArray<LogEvent> => [...log.all()].map((stored) => stored.event)

interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
  readonly is_error?: boolean
  readonly content?: unknown
}

export const blocksOf = (event: LogEvent): ReadonlyArray<Block> => {
  const content = (event.payload as { message?: { content?: unknown } }).message?.content
  return Array.isArray(content) ? (content as ReadonlyArray<Block>) : []
}

/** What must hold of every log whose turns have ended, whatever happened on the way. */
export const problemsOf = (events: ReadonlyArray<LogEvent>, turns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  events.forEach((event, index) => {
    if (event.seq !== index + 1) problems.push(`seq ${event.seq} stands at place ${index + 1}`)
  })
  for (const turn of turns) {
    const own = events.filter((event) => event.turn === turn && event.name.startsWith("sdk:"))
    const results = own.filter((event) => event.name.startsWith("sdk:result"))
    const inits = own.filter((event) => event.name === "sdk:system/init")
    if (results.length !== 1) problems.push(`${results.length} results`)
    if (inits.length !== 1) problems.push(`${inits.length} inits`)
    if (own[0]?.name !== "sdk:system/init") problems.push(`the turn begins with ${own[0]?.name}`)
  }
  const blocks = events.filter((event) => /^sdk:(assistant|user)$/.test(event.name)).flatMap(blocksOf)
  const uses = blocks.filter((block) => block.type === "tool_use").map((block) => block.id)
  const results = blocks.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id)
  if (JSON.stringify(uses.toSorted()) !== JSON.stringify(results.toSorted())) {
    problems.push(`calls ${uses.join()} have results ${results.join()}`)
  }
  return problems
}
