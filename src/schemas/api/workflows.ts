// Workflows and their runs as the HTTP API shows them: what a client sends to start a run, and the responses.
// Invariant: every text, list and number that a client sends has a bound, and unknown fields are refused by name.
import * as Schema from "effect/Schema"
import { Emitted, Signal } from "../signal.ts"
import { SessionOptions } from "../sdk/options/options.ts"
import { PendingAsk } from "./api.ts"

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const Name = Schema.String.check(Schema.isPattern(NAME, { message: "Expected 1 to 64 letters, digits, _ or -" }))

export const WorkflowName = Name.annotate({ description: "The workflow's name.", examples: ["debate"] })
export const RunId = Name.annotate({ description: "The run's id." })

/** What executes an agent's turns: a session of Perch, or a model alone. */
export const RunHarness = Schema.Literals(["session", "claude", "openai", "offline"]).annotate({
  identifier: "RunHarness",
  description:
    "What runs the agents' turns. `session`: a session of Perch for each turn, with tools, permissions and hooks. `claude`, `openai`, `offline`: one request to that model, without tools; the only option that they accept is `model`.",
})
export type RunHarness = typeof RunHarness.Type

/** `queued` before its first signal, `waiting` while an ask in an agent's session is open or it needs a signal from outside. */
export const RunStatus = Schema.Literals(["queued", "running", "waiting", "completed", "failed", "cancelled"]).annotate(
  {
    identifier: "WorkflowRunStatus",
    description:
      "`queued` before its first signal, `running`, or `waiting` while an agent's session waits for an answer or the run waits for a signal from outside; an ended run is `completed`, `failed` or `cancelled`.",
  },
)
export type RunStatus = typeof RunStatus.Type

/** What the run does when no signal is waiting. */
export const OnEmpty = Schema.Literals(["end", "wait"]).annotate({
  identifier: "WorkflowOnEmpty",
  description:
    "What the run does when no signal is waiting: `end` completes it; `wait` keeps it open for signals from outside, until its state is final or it is cancelled.",
})

/** Which turns of its agents share a session. */
export const RunSessions = Schema.Literals(["turn", "agent", "run"]).annotate({
  identifier: "WorkflowRunSessions",
  description:
    "Which turns of the agents share a session, with its conversation and its files: `turn`: none, each turn has its own session; `agent`: those of the same agent; `run`: all turns of the run.",
})
export type RunSessions = typeof RunSessions.Type

/** `POST /v1/workflows/{name}/runs` */
export const CreateRun = Schema.Struct({
  /** The id of the new run; generated when it is not given. */
  id: Schema.optionalKey(RunId),
  /** The payload of `workflow:start`. */
  input: Schema.optionalKey(Schema.Json),
  /** The options of its agents' sessions. */
  options: Schema.optionalKey(SessionOptions),
  harness: Schema.optionalKey(RunHarness),
  sessions: Schema.optionalKey(RunSessions),
  on_empty: Schema.optionalKey(OnEmpty),
}).annotate({ identifier: "CreateWorkflowRun" })
export type CreateRun = typeof CreateRun.Type

/** `POST …/signals` */
export const SendSignal = Schema.Struct({
  name: Emitted.fields.name,
  payload: Schema.optionalKey(Schema.Json),
}).annotate({ identifier: "SendSignal" })

/** A signal of a run's log. */
export const RunSignal = Schema.Struct({ seq: Schema.Int, ...Signal.fields }).annotate({ identifier: "RunSignal" })
export type RunSignal = typeof RunSignal.Type

/** Why a run failed. */
export const RunError = Schema.Struct({
  type: Schema.String,
  message: Schema.String,
}).annotate({ identifier: "WorkflowRunError" })
export type RunError = typeof RunError.Type

const Instant = Schema.String
const Count = Schema.Int

/** An agent's turn that the run waits for, or that has ended. */
export const RunAgentTurn = Schema.Struct({
  agent: Schema.String,
  /** The seq of the signal that activated the agent. */
  signal_seq: Count,
  /** Null for a turn without a session. */
  session_id: Schema.NullOr(Schema.String),
  turn_id: Schema.NullOr(Schema.String),
  status: Schema.Literals(["running", "completed", "failed", "stopped"]),
  cost_usd: Schema.NullOr(Schema.Finite),
}).annotate({ identifier: "WorkflowAgentTurn" })
export type RunAgentTurn = typeof RunAgentTurn.Type

/** An ask in an agent's session. It is answered there: `POST /v1/sessions/{session_id}/permissions/{request_id}`. */
export const RunAsk = Schema.Struct({
  agent: Schema.String,
  session_id: Schema.String,
  ...PendingAsk.fields,
}).annotate({ identifier: "WorkflowRunAsk" })
export type RunAsk = typeof RunAsk.Type

const listed = {
  id: Schema.String,
  type: Schema.Literal("workflow_run"),
  workflow: Schema.String,
  status: RunStatus,
  created_at: Instant,
  updated_at: Instant,
  ended_at: Schema.NullOr(Instant),
  total_cost_usd: Schema.Finite,
}

/** A run in a list. */
export const ListedRun = Schema.Struct(listed).annotate({ identifier: "ListedWorkflowRun" })
export type ListedRun = typeof ListedRun.Type

/** A run. */
export const WorkflowRun = Schema.Struct({
  ...listed,
  harness: RunHarness,
  sessions: RunSessions,
  on_empty: OnEmpty,
  input: Schema.Json,
  options: SessionOptions,
  state: Schema.Json,
  signals: Schema.Struct({
    /** The number of all signals in the log. */
    logged: Count,
    processed: Count,
    waiting: Count,
  }),
  last_seq: Count,
  agents: Schema.Array(RunAgentTurn),
  asks: Schema.Array(RunAsk),
  delay_reason: Schema.NullOr(Schema.String),
  error: Schema.NullOr(RunError),
}).annotate({ identifier: "WorkflowRun" })
export type WorkflowRun = typeof WorkflowRun.Type

/** `GET …/state`: the state after every signal up to `at` was processed. */
export const RunState = Schema.Struct({
  at: Count,
  /** The seq of the last signal up to `at` that changed the state; 0 for the initial state. */
  seq: Count,
  state: Schema.Json,
}).annotate({ identifier: "WorkflowRunState" })
export type RunState = typeof RunState.Type

export const ErasedRun = Schema.Struct({
  id: Schema.String,
  deleted: Schema.Literal(true),
  deleted_at: Instant,
  signals: Count,
  /** The sessions of its agents, which were erased too. */
  sessions: Schema.Array(Schema.String),
}).annotate({ identifier: "ErasedWorkflowRun" })
export type ErasedRun = typeof ErasedRun.Type

/** A workflow that the Worker has. */
export const WorkflowInfo = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  /** The names and patterns that its handlers listen to. */
  handles: Schema.Array(Schema.String),
  agents: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      activates_on: Schema.Array(Schema.String),
      emits: Schema.Array(Schema.String),
    }),
  ),
  /** The JSON Schemas of its signals' payloads, by name. */
  signals: Schema.Record(Schema.String, Schema.Json),
  limits: Schema.Struct({ queue: Count, depth: Count, agents: Count }),
}).annotate({ identifier: "Workflow" })
export type WorkflowInfo = typeof WorkflowInfo.Type
