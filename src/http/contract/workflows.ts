// Rows of the route table: the Worker's workflows, and their runs.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/workflows.ts"
import { SignalPattern } from "../../schemas/signal-pattern.ts"
import { route } from "../route.ts"
import { answer, Cursor, IDEMPOTENCY, Limit, list, NoFields, page, Seq } from "./parts.ts"

const Workflow = Schema.Struct({ name: Api.WorkflowName })
const Run = Schema.Struct({ name: Api.WorkflowName, run_id: Api.RunId })

export const listWorkflows = route({
  id: "listWorkflows",
  method: "get",
  path: "/v1/workflows",
  summary: "List the workflows that can be run",
  description:
    "Workflows are code: they are registered in `src/signals/workflows/registered.ts` and deployed with the Worker.",
  tag: "workflows",
  auth: "sessions:read",
  answers: { 200: answer("The workflows, by name.", list("data", Api.WorkflowInfo)) },
})

export const createRun = route({
  id: "createWorkflowRun",
  method: "post",
  path: "/v1/workflows/{name}/runs",
  summary: "Start a run of a workflow",
  description:
    "The run continues automatically, across restarts too. Its agents work in sessions of their own, created with `options`. A run with the same `id` is a 409. An `Idempotency-Key` identifies its run as long as the run exists: the same request again returns the run in its current state.",
  tag: "workflows",
  auth: "sessions:write",
  params: Workflow,
  headers: IDEMPOTENCY,
  body: Api.CreateRun,
  answers: { 201: answer("The run.", Api.WorkflowRun, "location", "idempotent-replayed") },
  errors: ["conflict_error", "permission_error", "unprocessable_error"],
  example: { input: { tasks: ["Write a plan of two sentences.", "Carry the plan out."] } },
})

export const listRuns = route({
  id: "listWorkflowRuns",
  method: "get",
  path: "/v1/workflows/{name}/runs",
  summary: "List the runs of a workflow, the newest first",
  description: "The list lags behind the runs by about a second; a run that is read by its id is always current.",
  tag: "workflows",
  auth: "sessions:read",
  params: Workflow,
  query: Schema.Struct({
    status: Schema.optionalKey(Schema.Literals(Api.RunStatus.literals)),
    limit: Limit(1000),
    cursor: Cursor,
  }),
  answers: {
    200: answer("A page of runs.", page(Api.ListedRun)),
  },
})

export const getRun = route({
  id: "getWorkflowRun",
  method: "get",
  path: "/v1/workflows/{name}/runs/{run_id}",
  summary: "Read a run: its status, state, agents' turns, and open asks",
  description:
    "`asks` are the open questions in its agents' sessions; answer one at `POST /v1/sessions/{session_id}/permissions/{request_id}`.",
  tag: "workflows",
  auth: "sessions:read",
  params: Run,
  answers: { 200: answer("The run.", Api.WorkflowRun) },
})

export const deleteRun = route({
  id: "deleteWorkflowRun",
  method: "delete",
  path: "/v1/workflows/{name}/runs/{run_id}",
  summary: "Erase a run and the sessions of its agents",
  description: "A run that is in progress is stopped. Its id can't be used again.",
  tag: "workflows",
  auth: "sessions:write",
  params: Run,
  answers: { 200: answer("What was erased.", Api.ErasedRun) },
})

export const pageRunSignals = route({
  id: "pageWorkflowRunEvents",
  method: "get",
  path: "/v1/workflows/{name}/runs/{run_id}/events",
  summary: "Read the run's log by pages",
  description:
    "Signals in the order of `seq`: those of the queue and those about the run. Read the next page with `after`: the page's `next_after`. `name` is a pattern.",
  tag: "workflows",
  auth: "sessions:read",
  params: Run,
  query: Schema.Struct({
    after: Schema.optionalKey(Seq),
    limit: Limit(1000),
    name: Schema.optionalKey(SignalPattern),
  }),
  answers: {
    200: answer(
      "Signals.",
      list("signals", Api.RunSignal, {
        has_more: Schema.Boolean,
        last_seq: Schema.Int,
        next_after: Schema.Int,
      }),
    ),
  },
})

export const streamRunSignals = route({
  id: "streamWorkflowRunEvents",
  method: "get",
  path: "/v1/workflows/{name}/runs/{run_id}/events/stream",
  summary: "Follow the run's log live (server-sent events)",
  description:
    "Ends after `workflow:end`. A client that reconnects after it has read all of an ended run gets a 204, which makes browsers stop reconnecting.",
  tag: "workflows",
  auth: "sessions:read",
  params: Run,
  query: Schema.Struct({
    after: Schema.optionalKey(Schema.Union([Seq, Schema.Literal("head")])),
    name: Schema.optionalKey(SignalPattern),
  }),
  headers: { "Last-Event-ID": "The last seq that was received; takes precedence over `after`." },
  answers: {
    200: {
      description: "`id:` is the signal's seq, `data:` the signal as JSON on one line; a comment every 15 s.",
      events: Api.RunSignal,
    },
    204: { description: "The run has ended, and all of its log was read." },
  },
})

export const getRunState = route({
  id: "getWorkflowRunState",
  method: "get",
  path: "/v1/workflows/{name}/runs/{run_id}/state",
  summary: "Read the run's current or earlier state",
  description:
    "With `at` the state after every signal up to that seq was processed; 0 is the initial state. A waiting signal has changed nothing yet: the response's `seq` is that of the last signal that changed the state.",
  tag: "workflows",
  auth: "sessions:read",
  params: Run,
  query: Schema.Struct({ at: Schema.optionalKey(Seq) }),
  answers: { 200: answer("The state.", Api.RunState) },
})

export const sendSignal = route({
  id: "sendWorkflowSignal",
  method: "post",
  path: "/v1/workflows/{name}/runs/{run_id}/signals",
  summary: "Send a signal into a run",
  description:
    "It is processed after the signals that are already waiting. A name that the workflow does not declare is a 400, and so is a payload that does not match the workflow's definition of the signal; for a run that has ended it is a 409.",
  tag: "workflows",
  auth: "sessions:write",
  params: Run,
  headers: IDEMPOTENCY,
  body: Api.SendSignal,
  answers: { 202: answer("The signal as logged.", Api.RunSignal, "idempotent-replayed") },
  errors: ["conflict_error", "unprocessable_error"],
  example: { name: "argument:made", payload: { text: "Logs cost money." } },
})

export const cancelRun = route({
  id: "cancelWorkflowRun",
  method: "post",
  path: "/v1/workflows/{name}/runs/{run_id}/cancel",
  summary: "Cancel a run",
  description:
    "An agent's turn that is in progress is stopped. Cancelling again has no effect; for a run that has ended otherwise it is a 409.",
  tag: "workflows",
  auth: "sessions:write",
  params: Run,
  body: NoFields,
  answers: { 200: answer("The run.", Api.WorkflowRun) },
  errors: ["conflict_error"],
})
