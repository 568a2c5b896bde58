// Runs agents' turns in Perch sessions: starts a turn, polls its progress, stops it, erases its session.
// Invariant: a turn's uuid is derived from the run, the signal and the agent, and its session's id from those of them that the
// session's turns share. So a repeated request never makes the session run the turn twice.
import type { SessionNamespace, SessionStub } from "../../schemas/env.ts"
import type { RpcError, RpcResult } from "../../schemas/errors/rpc-error.ts"
import { uuidV8 } from "../../schemas/ids.ts"
import type { TurnStatus } from "../../schemas/rpc/turns.ts"
import type { PendingAsk } from "../../schemas/api/api.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { AgentTurn } from "../agent.ts"
import { answerFormat } from "./answer-format.ts"
import type { RunRecord, TurnRow } from "./run-record.ts"

/** The progress of a turn. */
export type Progress =
  | { readonly tag: "open"; readonly asks: boolean }
  | { readonly tag: "ended"; readonly result: Readonly<Record<string, unknown>> | null; readonly usd: number | null }
  /** The turn is pending, or can't start now for this `reason`: ask again after `afterMs`. */
  | { readonly tag: "later"; readonly afterMs: number; readonly reason?: string }
  | { readonly tag: "refused"; readonly message: string }

/** A port that runs the turns of a run's agents: in sessions, or with a model alone. */
export interface AgentTurns {
  begin(run: RunRecord, turn: TurnRow, agent: AgentTurn): Promise<Progress>
  poll(run: RunRecord, turn: TurnRow): Promise<Progress>
  stop(run: RunRecord, turn: TurnRow): Promise<void>
  asks(run: RunRecord, turn: TurnRow): Promise<ReadonlyArray<PendingAsk>>
  erase(run: RunRecord, turn: TurnRow): Promise<void>
}

/** Dispatches each turn: to `sessions`, or to `models` if it has no session. */
export const turnsOf = (sessions: AgentTurns, models: AgentTurns): AgentTurns => {
  const of = ({ session }: TurnRow): AgentTurns => (session === null ? models : sessions)
  return {
    begin: (run, turn, agent) => of(turn).begin(run, turn, agent),
    poll: (run, turn) => of(turn).poll(run, turn),
    stop: (run, turn) => of(turn).stop(run, turn),
    asks: (run, turn) => of(turn).asks(run, turn),
    erase: (run, turn) => of(turn).erase(run, turn),
  }
}

/** The session id and the uuid of an agent's turn. */
export const turnIds = async (
  { tenant, id, sessions }: Pick<RunRecord, "tenant" | "id" | "sessions">,
  seq: number,
  agent: string,
): Promise<{ readonly session: string; readonly turn: string }> => ({
  session: await uuidV8(
    "workflow-session",
    tenant,
    id,
    ...{ turn: [String(seq), agent], agent: [agent], run: [] }[sessions],
  ),
  turn: await uuidV8("workflow-turn", tenant, id, String(seq), agent),
})

const CWD = "/workspace"
/** Errors that are retried: the tenant is at its limit of turns or sessions, or a part of the platform is unavailable. */
const PASSING: ReadonlySet<RpcError["type"]> = new Set([
  "rate_limit_error",
  "overloaded_error",
  "service_unavailable_error",
])
const LATER_MS = 5_000

export class SessionTurns implements AgentTurns {
  readonly #sessions: SessionNamespace

  constructor(sessions: SessionNamespace) {
    this.#sessions = sessions
  }

  async begin(run: RunRecord, row: TurnRow, agent: AgentTurn): Promise<Progress> {
    const { actor, origin } = run
    const isShared = run.sessions === "run"
    const session = {
      cwd: CWD,
      title: isShared ? run.workflow : `${run.workflow}: ${row.agent}`,
      metadata: {
        workflow: run.workflow,
        workflow_run: run.id,
        ...(isShared ? {} : { agent: row.agent.slice(0, 1024) }),
      },
      options: run.options,
    }
    const submitted = await this.#stub(run, row).submit({
      turn: row.turn ?? "",
      prompt: row.prompt,
      onBusy: "queue",
      options: optionsOf(agent),
      fingerprint: `${run.id}/${row.seq}/${row.agent}`,
      actor,
      ...(origin === null ? {} : { origin }),
      // The first turn creates the session; for an existing session, `create` has no effect.
      create: { session, actor, fingerprint: run.id, run: run.id },
    })
    if (!submitted.ok) return refusal(submitted.error)
    return isOpen(submitted.value.status)
      ? { tag: "open", asks: submitted.value.status === "requires_action" }
      : this.poll(run, row)
  }

  async poll(run: RunRecord, row: TurnRow): Promise<Progress> {
    const found = await this.#stub(run, row).turn(row.turn ?? "", 0, "action")
    if (!found.ok) return refusal(found.error)
    const { status, result, cost_usd: usd } = found.value
    return isOpen(status) ? { tag: "open", asks: status === "requires_action" } : { tag: "ended", result, usd }
  }

  async stop(run: RunRecord, row: TurnRow): Promise<void> {
    settled(await this.#stub(run, row).stopTurn(row.turn ?? "", run.actor))
  }

  async asks(run: RunRecord, row: TurnRow): Promise<ReadonlyArray<PendingAsk>> {
    const asks = await this.#stub(run, row).asks()
    return asks.ok ? asks.value : []
  }

  async erase(run: RunRecord, row: TurnRow): Promise<void> {
    settled(await this.#stub(run, row).erase(run.actor))
  }

  #stub({ tenant }: RunRecord, { session }: TurnRow): SessionStub {
    return this.#sessions.getByName(`${tenant}/${session}`)
  }
}

const isOpen = (status: TurnStatus["status"]): boolean =>
  status === "queued" || status === "running" || status === "requires_action"

const refusal = ({ type, message, retry_after: seconds }: RpcError): Progress =>
  PASSING.has(type)
    ? { tag: "later", afterMs: seconds === undefined ? LATER_MS : seconds * 1000, reason: message }
    : { tag: "refused", message: `its session refused the turn: ${message}` }

/** Ignores that a session no longer exists; throws for any other error, so that the caller retries. */
const settled = (result: RpcResult<unknown>): void => {
  if (!result.ok && result.error.type !== "not_found_error") throw new Error(result.error.message)
}

/** The turn's options from the agent's definition; all others are the options of the run's sessions. */
const optionsOf = (agent: AgentTurn): SessionOptions => ({
  ...(agent.model === undefined ? {} : { model: agent.model }),
  ...(agent.tools === undefined ? {} : { tools: agent.tools }),
  ...(agent.emits.length === 0 ? {} : { outputFormat: answerFormat(agent) }),
})
