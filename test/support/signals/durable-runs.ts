// A durable run without its Durable Object: the real book and driver over SQLite in memory, and agents whose turns end when
// they are polled. It can be killed after any transaction, and continues from what was stored.
import { NO_RIGHTS } from "../values/actors.ts"
import { DurableRun } from "../../../src/signals/runs/durable-run.ts"
import type { AgentTurns, Progress } from "../../../src/signals/runs/agent-turns.ts"
import { RunBook } from "../../../src/signals/runs/run-book.ts"
import type { RunRecord, TurnRow } from "../../../src/signals/runs/run-record.ts"
import { newRun } from "../../../src/signals/runs/run-report.ts"
import type { AnyWorkflow } from "../../../src/signals/workflows/registered.ts"
import type { RunSignal } from "../../../src/schemas/api/workflows.ts"
import type { Emitted } from "../../../src/schemas/signal.ts"
import type { CreateRunArgs } from "../../../src/schemas/rpc/workflow-rpc.ts"
import { openTwin } from "../../workspace/sql-twin.ts"

/** An agent's answer: its signals, or the `result` of its turn. */
export type Answer = (turn: TurnRow) => ReadonlyArray<Emitted> | { readonly result: Readonly<Record<string, unknown>> }

class Died extends Error {}

/** Sessions outlive the run's process: a started turn is executed once. */
class FakeTurns implements AgentTurns {
  readonly begun = new Map<string, number>()
  readonly stopped: Array<string> = []
  /** While set, `poll` and `begin` return this. */
  held: Progress | null = null
  readonly #answer: Answer

  constructor(answer: Answer) {
    this.#answer = answer
  }

  async begin(_run: RunRecord, row: TurnRow): Promise<Progress> {
    const key = `${row.session} ${row.turn}`
    this.begun.set(key, (this.begun.get(key) ?? 0) + 1)
    return this.held ?? { tag: "open", asks: false }
  }

  async poll(_run: RunRecord, row: TurnRow): Promise<Progress> {
    if (this.held !== null) return this.held
    const answer = this.#answer(row)
    const result =
      "result" in answer ? answer.result : { subtype: "success", structured_output: { signals: [...answer] } }
    return { tag: "ended", result, usd: 0.25 }
  }

  async stop(_run: RunRecord, row: TurnRow): Promise<void> {
    this.stopped.push(row.agent)
  }

  async asks() {
    return []
  }

  async erase(): Promise<void> {
    return undefined
  }
}

export class DurableRuns {
  readonly turns: FakeTurns
  readonly #twin = openTwin()
  readonly #workflow: AnyWorkflow
  #now = 1_700_000_000_000
  #transactions = 0
  #dieAfter = Number.POSITIVE_INFINITY
  book: RunBook
  run: DurableRun

  constructor(workflow: AnyWorkflow, answer: Answer, args: Partial<CreateRunArgs> = {}) {
    this.#workflow = workflow
    this.turns = new FakeTurns(answer)
    this.book = this.#open()
    const { input = {}, ...more } = args
    const whole = {
      workflow: workflow.name,
      input,
      options: {},
      harness: "session",
      sessions: "turn",
      onEmpty: "end",
      actor: NO_RIGHTS,
    } as const
    const record = { ...newRun("acme", "run-1", { ...whole, ...more }, this.#now), listed: "queued" as const }
    const state = JSON.stringify(workflow.initialState)
    this.book.create(record, state, { name: "workflow:start", payload: input, depth: 0 })
    this.run = this.#drive()
    this.#transactions = 0
  }

  #open(): RunBook {
    return new RunBook({
      // The twin has the storage members that the book uses.
      sql: this.#twin.sql as never,
      transactionSync: (run) => {
        if (this.#transactions >= this.#dieAfter) throw new Died()
        const done = this.#twin.transactionSync(run)
        this.#transactions += 1
        if (this.#transactions >= this.#dieAfter) throw new Died()
        return done
      },
      now: () => (this.#now += 1),
    })
  }

  #drive(): DurableRun {
    return new DurableRun({
      book: this.book,
      turns: this.turns,
      workflowOf: (name) => (name === this.#workflow.name ? this.#workflow : undefined),
      now: () => this.#now,
      publish: () => undefined,
    })
  }

  /** Starts a new process from what is stored. */
  restart(): void {
    this.#dieAfter = Number.POSITIVE_INFINITY
    this.book = this.#open()
    this.run = this.#drive()
  }

  /** Continues until the run has ended, or waits for something that polling does not change. */
  async settle(): Promise<void> {
    for (let look: number | null = 0; look !== null && this.turns.held === null;) look = await this.run.changed()
  }

  /** Runs to the end, and kills the process after each of these numbers of transactions; `between` is called after each kill. */
  async settleWithKills(kills: ReadonlyArray<number>, between: () => void = () => undefined): Promise<void> {
    for (const after of kills) {
      this.#dieAfter = this.#transactions + after
      try {
        await this.settle()
        return this.restart()
      } catch (error) {
        if (!(error instanceof Died)) throw error
      }
      this.restart()
      if (this.book.existing.endedAt === null) between()
    }
    await this.settle()
  }

  /** The number of transactions so far. */
  get transactions(): number {
    return this.#transactions
  }

  get state(): unknown {
    return this.stateAt(this.book.existing.lastSeq)
  }

  /** The state after all signals up to `seq` were handled. */
  stateAt(seq: number): unknown {
    return JSON.parse(this.book.stateAt(seq).json)
  }

  /** The log as the page of an API shows it. */
  get log(): ReadonlyArray<RunSignal> {
    return this.book
      .page(0, 10_000, Number.POSITIVE_INFINITY)
      .map(({ seq, json }) => ({ seq, ...(JSON.parse(json) as Omit<RunSignal, "seq">) })) // the book wrote it
  }
}
