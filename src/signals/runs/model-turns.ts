// Runs agents' turns with a model alone: one request per turn, without a session and without tools.
// Invariant: in this process, a turn has at most one request in flight. After a crash the request is sent again, which only adds
// cost: an answer counts once it is committed.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { costOf } from "../../model/catalogue/prices.ts"
import type { RunHarness } from "../../schemas/api/workflows.ts"
import type { AgentTurn } from "../agent.ts"
import { agentPrompt, parseAgentResponse } from "../agent-answer.ts"
import { HarnessService } from "../harness.ts"
import type { AgentTurns, Progress } from "./agent-turns.ts"
import { missingHarness, type ModelEnv, runHarness } from "./run-harness.ts"
import type { RunRecord, TurnRow } from "./run-record.ts"

export interface ModelTurnsDeps {
  readonly env: ModelEnv
  /** Keeps the object in memory until the request is complete. */
  readonly keepAlive: (request: Promise<void>) => void
  /** Called when a turn has ended. */
  readonly changed: () => void
}

/** Interval of polls, each by an alarm: short enough that the object is not evicted during a request. */
const POLL_MS = 20_000

interface OpenTurn {
  readonly abort: AbortController
  ended: Progress | null
}

export class ModelTurns implements AgentTurns {
  readonly #deps: ModelTurnsDeps
  readonly #open = new Map<string, OpenTurn>()

  constructor(deps: ModelTurnsDeps) {
    this.#deps = deps
  }

  async begin(run: RunRecord, row: TurnRow, agent: AgentTurn): Promise<Progress> {
    const key = keyOf(row)
    const open = this.#open.get(key) ?? this.#start(run, row, agent)
    // Turns of a run are sequential: the answers of earlier turns have been committed.
    for (const other of this.#open.keys()) if (other !== key) this.#drop(other)
    return open.ended ?? { tag: "later", afterMs: POLL_MS }
  }

  /** A turn that this process does not know was started before a crash; the run starts it again with `begin`. */
  async poll(_run: RunRecord, row: TurnRow): Promise<Progress> {
    return this.#open.get(keyOf(row))?.ended ?? { tag: "later", afterMs: POLL_MS }
  }

  async stop(_run: RunRecord, row: TurnRow): Promise<void> {
    this.#drop(keyOf(row))
  }

  async asks() {
    return []
  }

  async erase(_run: RunRecord, row: TurnRow): Promise<void> {
    this.#drop(keyOf(row))
  }

  #drop(key: string): void {
    this.#open.get(key)?.abort.abort()
    this.#open.delete(key)
  }

  #start(run: RunRecord, row: TurnRow, agent: AgentTurn): OpenTurn {
    const open: OpenTurn = { abort: new AbortController(), ended: null }
    this.#open.set(keyOf(row), open)
    const { signal } = open.abort
    const asked = Effect.runPromiseExit(this.#ask(run, row, agent), { signal }).then((exit) => {
      if (signal.aborted) return
      open.ended = Exit.isSuccess(exit) ? exit.value : { tag: "refused", message: reasonOf(exit.cause) }
      this.#deps.changed()
    })
    this.#deps.keepAlive(asked)
    return open
  }

  readonly #ask = Effect.fnUntraced(function* (this: ModelTurns, run: RunRecord, row: TurnRow, agent: AgentTurn) {
    const { env } = this.#deps
    const harness = harnessOf(run, agent)
    if (harness === "session") return yield* Effect.die("a session runs the turn")
    const missing = missingHarness(harness, env)
    if (missing !== null) return refused(missing)
    if ((agent.tools?.length ?? 0) > 0) {
      return refused("it has tools, but only sessions support tools. Start the run with the harness session.")
    }
    let usd: number | null = null
    const layer = runHarness(harness, env, {
      model: agent.model ?? run.options.model,
      sessionId: run.id,
      onUsage: (usage, model) => {
        const cost = harness === "claude" ? costOf(model, usage) : null
        if (cost !== null) usd = (usd ?? 0) + cost
      },
    })
    const text = yield* Effect.provide(
      Effect.flatMap(HarnessService, (service) => service.complete(agentPrompt(row.prompt, agent))),
      layer,
    )
    const signals = yield* parseAgentResponse(text, agent)
    const value = agent.emits.length === 0 ? {} : { structured_output: { signals } }
    return { tag: "ended", result: { subtype: "success", result: text, ...value }, usd } satisfies Progress
  })
}

/** The harness for an agent's turns: the agent's own choice, or else the run's. */
export const harnessOf = (run: RunRecord, { harness }: Pick<AgentTurn, "harness">): RunHarness =>
  NAMES.find((name) => name === harness) ?? run.harness

const NAMES: ReadonlyArray<RunHarness> = ["session", "claude", "openai", "offline"]

const keyOf = ({ seq, agent }: TurnRow): string => `${seq}/${agent}`

const refused = (message: string): Progress => ({ tag: "refused", message })

/** The message of an expected failure; a fixed text for a defect, whose own message is not shown. */
const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string => {
  const failure = cause.reasons.find(Cause.isFailReason)
  return failure === undefined ? "the model could not be called." : failure.error.message
}
