// The contract between the Worker and the Durable Object of a workflow's run.
// Invariant: expected failures are values; an exception is a defect. A run that does not exist answers `not_found_error`
// and writes nothing.
import type * as Schema from "effect/Schema"
import type { Actor } from "../access.ts"
import type { ErasedRun, RunHarness, RunSessions, RunSignal, RunState, WorkflowRun } from "../api/workflows.ts"
import type { RpcResult } from "../errors/rpc-error.ts"
import type { SessionOptions } from "../sdk/options/options.ts"
import type { Signal } from "../signal.ts"

export interface CreateRunArgs {
  readonly workflow: string
  readonly input: Schema.Json
  readonly options: SessionOptions
  readonly harness: RunHarness
  readonly sessions: RunSessions
  readonly onEmpty: "end" | "wait"
  readonly actor: Actor
  /** Creating the same id with the same fingerprint is the same creation; without one an existing id is a conflict. */
  readonly fingerprint?: string
  /** The origin at which the API was called. */
  readonly origin?: string
}

export interface SendSignalArgs {
  /** The signal's id; a repeated id is the same signal. Without it every call sends a new signal. */
  readonly id?: string
  readonly name: string
  readonly payload: Schema.Json
}

export interface RunSignalsQuery {
  readonly after: number
  readonly limit: number
  /** A pattern over signal names. */
  readonly name?: string
}

export interface RunSignalsPage {
  readonly signals: ReadonlyArray<RunSignal>
  readonly has_more: boolean
  readonly last_seq: number
  /** The `after` of the next page: the last signal that was searched, whether or not it matched. */
  readonly next_after: number
}

/** A page of a run for its recording, at most 4 MiB. `next` is the `after` of the next page, or null. */
export interface RecordedRunPage {
  readonly run: Pick<WorkflowRun, "id" | "workflow" | "status" | "created_at" | "ended_at" | "input">
  readonly signals: ReadonlyArray<Signal>
  readonly next: number | null
}

/**
 * The RPC methods of a run's Durable Object (stub from `env.WORKFLOWS.getByName(`${tenant}/${id}`)`). Every method names the
 * workflow of its path: a run of another workflow is not found. Its `fetch` answers
 * `GET http://run/feed?workflow=NAME&after=N|head` with `Upgrade: websocket`: the live feed, see `FeedLine`.
 */
export interface WorkflowRpc {
  create(args: CreateRunArgs): Promise<RpcResult<{ readonly run: WorkflowRun; readonly created: boolean }>>
  info(workflow: string): Promise<RpcResult<WorkflowRun>>
  signals(workflow: string, query: RunSignalsQuery): Promise<RpcResult<RunSignalsPage>>
  /** The state at a seq; without `at`, the latest. */
  state(workflow: string, at?: number): Promise<RpcResult<RunState>>
  /** `sent` is false for a signal that was sent before. */
  send(
    workflow: string,
    signal: SendSignalArgs,
  ): Promise<RpcResult<{ readonly signal: RunSignal; readonly sent: boolean }>>
  cancel(workflow: string): Promise<RpcResult<WorkflowRun>>
  /** Erases the run, and the sessions of its agents. */
  erase(workflow: string, actor: Actor): Promise<RpcResult<ErasedRun>>
  /** A page of the run's log, for a recording. */
  recordedPage(after: number): Promise<RpcResult<RecordedRunPage>>
  /** Called by an agent's session when its turn has ended, or an ask was opened or settled there. */
  sessionChanged(session: string): Promise<void>
}

/** The run's object as the Worker and sessions see it. */
export interface WorkflowStub extends WorkflowRpc {
  fetch(input: string, init?: RequestInit): Promise<Response>
}

/** The `WORKFLOWS` binding; a run's name is `tenant/run-id`. */
export interface WorkflowNamespace {
  getByName(name: string): WorkflowStub
}
