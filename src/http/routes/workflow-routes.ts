// The routes of workflows and their runs. Receives decoded requests; calls the run's object, and reads lists from D1.
// Invariant: the object's name starts with the caller's own tenant, so that no id reaches another tenant's run; a payload
// is validated by its workflow's definition before the run receives it.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CreateRun } from "../../schemas/api/workflows.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import { uuidV8 } from "../../schemas/ids.ts"
import type { FeedLine } from "../../schemas/log/feed-line.ts"
import type { WorkflowStub } from "../../schemas/rpc/workflow-rpc.ts"
import { type CompiledPattern, compilePattern } from "../../schemas/signal-pattern.ts"
import { isObserved, signalFault } from "../../schemas/signal.ts"
import { newRecord } from "../../session/storage/meta.ts"
import { refusalOf } from "../../session/access/rights.ts"
import { missingHarness } from "../../signals/runs/run-harness.ts"
import {
  type AnyWorkflow,
  isDeclared,
  registeredWorkflow,
  registeredWorkflows,
} from "../../signals/workflows/registered.ts"
import { listRuns } from "../../store/workflow-runs.ts"
import type { Frame } from "../../views/sdk.ts"
import { decodeBody } from "../bodies/decode.ts"
import { contract } from "../contract/contract.ts"
import { ApiError, fromRpcError, fromStore, invalidField } from "../errors/errors.ts"
import { type App, type Caller, handle, json } from "../handle.ts"
import { callObject } from "../object-call.ts"
import { createdFingerprint, createdId, idempotencyKey, REPLAYED } from "../idempotency/request-name.ts"
import { feedOf } from "../socket/feed-socket.ts"
import { lastEventId } from "../stream/last-event-id.ts"
import { SSE_HEADERS } from "../stream/sse.ts"
import { sseResponse } from "../stream/sse-response.ts"

const DEFAULT_LIMIT = 100
/** The first signal of a run; its payload is the run's input. */
const START = "workflow:start"

export const workflowRoutes = (app: App): void => {
  handle(app, contract.listWorkflows, () => Effect.succeed(json(200, { data: registeredWorkflows() })))

  handle(
    app,
    contract.createRun,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const workflow = yield* workflowOf(params.name)
      const { input = {}, options = {}, harness = "session", sessions = "turn", on_empty: onEmpty = "end" } = body
      yield* checkPayload(workflow, START, input, "input")
      yield* checkRights(body, caller)
      yield* checkHarness(workflow, body, caller)
      const key = yield* idempotencyKey(caller)
      const id = body.id ?? (yield* createdId(caller, key, "workflow-run"))
      const args = {
        workflow: params.name,
        input,
        options,
        harness,
        sessions,
        onEmpty,
        actor: caller.actor,
        origin: new URL(caller.request.url).origin,
        ...createdFingerprint(key, `workflow/${params.name}`, body),
      }
      const { run, created } = yield* call(caller, { name: params.name, run_id: id }, (stub) => stub.create(args))
      const location = `/v1/workflows/${params.name}/runs/${run.id}`
      return json(201, run, { location, ...(created ? {} : REPLAYED) })
    }),
  )

  handle(
    app,
    contract.listRuns,
    Effect.fnUntraced(function* ({ params, query }, { env, tenant }) {
      yield* workflowOf(params.name)
      const page = { ...query, limit: query.limit ?? DEFAULT_LIMIT }
      return json(200, yield* fromStore(listRuns(env.DB, { tenant, workflow: params.name }, page)))
    }),
  )

  handle(
    app,
    contract.getRun,
    Effect.fnUntraced(function* ({ params }, caller) {
      return json(200, yield* call(caller, params, (stub) => stub.info(params.name)))
    }),
  )

  handle(
    app,
    contract.deleteRun,
    Effect.fnUntraced(function* ({ params }, caller) {
      return json(200, yield* call(caller, params, (stub) => stub.erase(params.name, caller.actor)))
    }),
  )

  handle(
    app,
    contract.pageRunSignals,
    Effect.fnUntraced(function* ({ params, query: { after = 0, limit = DEFAULT_LIMIT, name } }, caller) {
      const query = { after, limit, ...(name === undefined ? {} : { name }) }
      return json(200, yield* call(caller, params, (stub) => stub.signals(params.name, query)))
    }),
  )

  handle(
    app,
    contract.streamRunSignals,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      const { env, request, tenant } = caller
      const after = (yield* lastEventId(request)) ?? query.after ?? 0
      const run = yield* call(caller, params, (stub) => stub.info(params.name))
      if (run.ended_at !== null && after !== "head" && after >= run.last_seq) return new Response(null, { status: 204 })
      if (request.method === "HEAD") return new Response(null, { headers: SSE_HEADERS })
      const open = feedOf(() => env.WORKFLOWS.getByName(`${tenant}/${params.run_id}`), { workflow: params.name })
      const first = yield* callObject("run", () => open(after))
      const pattern = query.name === undefined ? null : compilePattern(query.name)
      return sseResponse(caller, {
        first,
        open,
        after,
        view: signalView(pattern),
        media: () => Promise.reject(new Error("a run has no media")),
        until: (line) => line.name === "workflow:end",
      })
    }),
  )

  handle(
    app,
    contract.getRunState,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      return json(200, yield* call(caller, params, (stub) => stub.state(params.name, query.at)))
    }),
  )

  handle(
    app,
    contract.sendSignal,
    Effect.fnUntraced(function* ({ params, body: { name, payload = {} } }, caller) {
      const workflow = yield* workflowOf(params.name)
      yield* checkName(workflow, name)
      yield* checkPayload(workflow, name, payload, "payload")
      const key = yield* idempotencyKey(caller)
      const { tenant } = caller
      const once =
        key === null ? {} : { id: yield* Effect.promise(() => uuidV8("workflow-signal", tenant, params.run_id, key)) }
      const { signal, sent } = yield* call(caller, params, (stub) => stub.send(params.name, { ...once, name, payload }))
      return json(202, signal, sent ? {} : REPLAYED)
    }),
  )

  handle(
    app,
    contract.cancelRun,
    Effect.fnUntraced(function* ({ params }, caller) {
      return json(200, yield* call(caller, params, (stub) => stub.cancel(params.name)))
    }),
  )
}

const call = <A>(
  { env, tenant }: Caller,
  { name, run_id: id }: { readonly name: string; readonly run_id: string },
  use: (stub: WorkflowStub) => Promise<RpcResult<A>>,
): Effect.Effect<A, ApiError> =>
  // Runs of a workflow that the Worker no longer has can still be read.
  Effect.mapError(
    callObject("run", () => use(env.WORKFLOWS.getByName(`${tenant}/${id}`))),
    (error) => (error.type === "not_found_error" && registeredWorkflow(name) === undefined ? noWorkflow(name) : error),
  )

const workflowOf = (name: string): Effect.Effect<AnyWorkflow, ApiError> => {
  const workflow = registeredWorkflow(name)
  return workflow === undefined ? Effect.fail(noWorkflow(name)) : Effect.succeed(workflow)
}

const noWorkflow = (name: string): ApiError => {
  const names = registeredWorkflows().map((workflow) => workflow.name)
  const message = `There is no workflow ${name}. This server has ${names.join(", ") || "none"}.`
  return new ApiError({ type: "not_found_error", message })
}

/** Fails for a signal that clients can't send to a run of the workflow. */
const checkName = (workflow: AnyWorkflow, name: string): Effect.Effect<void, ApiError> => {
  if (isObserved(name)) {
    return Effect.fail(invalidField("name", `${name} is a signal of the runtime, which can't be sent`))
  }
  if (name === START) {
    return Effect.fail(
      invalidField("name", `${name} starts a run, and the run has already started. Start another one.`),
    )
  }
  if (isDeclared(workflow, name)) return Effect.void
  const declared = [...workflow.definitions.keys()].filter((one) => one !== START).toSorted()
  const message = `the workflow ${workflow.name} declares no signal ${name}. It declares ${declared.join(", ") || "none"}.`
  return Effect.fail(invalidField("name", message))
}

/** Fails for a payload that a run can't receive; the error's field is a path below `field`. */
const checkPayload = Effect.fnUntraced(function* (
  { definitions }: AnyWorkflow,
  name: string,
  payload: Schema.Json,
  field: string,
): Effect.fn.Return<void, ApiError> {
  const fault = signalFault(name, payload)
  if (fault !== null) return yield* invalidField(field, fault)
  const definition = definitions.get(name)
  if (definition === undefined) return
  const shape = Schema.Struct({ [field]: Schema.toCodecJson(definition.schema) })
  yield* decodeBody(shape, { [field]: payload })
})

/** Fails for a harness that this server does not have, or that does not support what the run requires of its agents. */
const checkHarness = (
  { agents }: AnyWorkflow,
  { harness = "session", sessions, options = {} }: CreateRun,
  { env }: Caller,
): Effect.Effect<void, ApiError> => {
  if (harness === "session") return Effect.void
  const missing = missingHarness(harness, env)
  if (missing !== null) return Effect.fail(invalidField("harness", missing))
  if (sessions !== undefined) {
    const message = `the run's harness is ${harness}, whose turns have no sessions. Leave it out, or start the run with the harness session.`
    return Effect.fail(invalidField("sessions", message))
  }
  const other = Object.keys(options).find((name) => name !== "model")
  if (other !== undefined) {
    const message = `is an option of sessions, and the run's harness is ${harness}. Leave it out, or start the run with the harness session.`
    return Effect.fail(invalidField(`options.${other}`, message))
  }
  const equipped = agents.find(({ definition }) => (definition.tools?.length ?? 0) > 0)
  if (equipped === undefined) return Effect.void
  const message = `${equipped.definition.name} has tools, and only sessions support tools. Start the run with the harness session.`
  return Effect.fail(invalidField("harness", message))
}

/** Fails for options of the agents' sessions that the caller may not set, or that the workflow sets itself. */
const checkRights = Effect.fnUntraced(function* (
  { options = {} }: CreateRun,
  { actor, tenant }: Caller,
): Effect.fn.Return<void, ApiError> {
  if (options.outputFormat !== undefined) {
    const message = "is set by the workflow, whose agents answer with their signals"
    return yield* invalidField("options.outputFormat", message)
  }
  if (options.persistSession === false) {
    const message = "can't be false, because no client opens the sessions of a run's agents"
    return yield* invalidField("options.persistSession", message)
  }
  const session = { cwd: "/workspace", title: null, metadata: {}, options }
  const after = newRecord(tenant, "", { session }, 0)
  const refused = refusalOf(actor, { before: null, after, named: { options } })
  if (refused !== undefined) return yield* fromRpcError(refused.refused)
})

/** A view of the signals whose names match the pattern; of all signals without one. */
const signalView =
  (pattern: CompiledPattern | null) =>
  ({ seq, name, json: data }: FeedLine): ReadonlyArray<Frame> =>
    seq === null || (pattern !== null && !pattern.matches(name)) ? [] : [{ id: seq, data }]
