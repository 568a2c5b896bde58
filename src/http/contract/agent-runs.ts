// Rows of the route table: runs, in the terms of a chat channel's runner.
import * as Schema from "effect/Schema"
import { PendingAsk } from "../../schemas/api/api.ts"
import { PROMPT_BODY } from "../../schemas/api/prompt-size.ts"
import { TurnState } from "../../schemas/rpc/turns.ts"
import { AbortAgentRun, AgentRunRequest, AgentRunId, RunSessionId } from "../../schemas/runs/run-request.ts"
import { EmbeddedRunResult } from "../../schemas/runs/run-result.ts"
import { RUN_FIELDS } from "../../schemas/runs/run-status.ts"
import { route } from "../route.ts"
import { answer } from "./parts.ts"
import { REPLY_TYPES } from "./view-frames.ts"

const RunParams = Schema.Struct({ runId: AgentRunId })
const RunQuery = Schema.Struct({ sessionId: RunSessionId })

/** The answer about a run that has not ended, or was not waited for. */
const RunAccepted = Schema.Struct({
  runId: Schema.String,
  sessionId: Schema.String,
  status: TurnState,
  pending: Schema.Array(PendingAsk).annotate({
    description: "The asks that must be answered before the run continues.",
  }),
}).annotate({ identifier: "AgentRunAccepted" })

/** A frame of a run's stream. */
const RunFrame = Schema.StructWithRest(
  Schema.Struct({
    type: Schema.Literals(["run", ...REPLY_TYPES, "result"]),
    runId: Schema.String,
    seq: Schema.optionalKey(Schema.Int),
    result: Schema.optionalKey(EmbeddedRunResult),
  }),
  [Schema.Record(Schema.String, Schema.Unknown)],
).annotate({ identifier: "AgentRunFrame" })

const ANSWERS = {
  200: {
    ...answer(
      "The run's result; with `Accept: text/event-stream` its replies as they are produced, and finally `result`.",
      EmbeddedRunResult,
      "perch-session-id",
      "perch-turn-id",
      "idempotent-replayed",
    ),
    events: RunFrame,
  },
  202: answer(
    "The run is still in progress.",
    RunAccepted,
    "perch-session-id",
    "perch-turn-id",
    "preference-applied",
    "location",
  ),
}

export const runAgent = route({
  id: "runAgent",
  method: "post",
  path: "/v1/runs",
  summary: "Run an agent once, as a channel's runner does",
  description:
    "Creates the session if there is none with this id, queues the prompt in its lane and returns the result. A JSON response waits at most 10 minutes. A request with the same `runId` returns the same run. Parameters of such runners that have no effect are accepted; parameters that are not supported are refused with an error that names them.",
  tag: "runs",
  auth: "sessions:write",
  body: AgentRunRequest,
  fields: RUN_FIELDS,
  bodyLimit: PROMPT_BODY,
  headers: {
    Accept: "`text/event-stream` streams the run.",
    Prefer: "`respond-async` returns immediately: a 202, or the result of a run that has ended.",
    "Last-Event-ID": "For resuming a stream with the same `runId`: the last id that was received.",
  },
  answers: ANSWERS,
  // For results, whose session must exist.
  errors: ["conflict_error", "not_found_error", "unprocessable_error"],
  example: { sessionId: "telegram:42", runId: "run-1", prompt: "Say hello", timeoutMs: 60_000 },
})

/** The longest `wait`, in seconds. */
const MAX_WAIT_S = 120

export const getAgentRun = route({
  id: "getAgentRun",
  method: "get",
  path: "/v1/runs/{runId}",
  summary: "Read a run, or wait for it",
  description:
    "Returns the result when the run has ended. `wait` delays the response by up to this number of seconds until it has ended.",
  tag: "runs",
  auth: "sessions:read",
  params: RunParams,
  query: Schema.Struct({
    ...RunQuery.fields,
    wait: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_WAIT_S }))),
  }),
  headers: {
    Accept: "`text/event-stream` streams the run from its start, or from `Last-Event-ID`.",
    "Last-Event-ID": "The last id that was received.",
  },
  answers: ANSWERS,
})

const ABORTED = {
  200: answer(
    "Whether the run was stopped; false when it had already ended.",
    Schema.Struct({ runId: Schema.String, sessionId: Schema.String, aborted: Schema.Boolean }).annotate({
      identifier: "AgentRunAborted",
    }),
  ),
}

export const abortAgentRun = route({
  id: "abortAgentRun",
  method: "post",
  path: "/v1/runs/{runId}/abort",
  summary: "Stop a run",
  description: "It keeps the payloads so far. A run that is still queued never starts.",
  tag: "runs",
  auth: "sessions:write",
  params: RunParams,
  body: AbortAgentRun,
  answers: ABORTED,
  example: { sessionId: "telegram:42" },
})

export const deleteAgentRun = route({
  id: "deleteAgentRun",
  method: "delete",
  path: "/v1/runs/{runId}",
  summary: "Stop a run",
  description: "Same as `POST /v1/runs/{runId}/abort`. Nothing in the session's log is erased.",
  tag: "runs",
  auth: "sessions:write",
  params: RunParams,
  query: RunQuery,
  answers: ABORTED,
})
