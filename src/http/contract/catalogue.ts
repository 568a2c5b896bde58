// Rows of the route table: todos, models and tools, and what sessions have cost.
import * as Schema from "effect/Schema"
import { Provider } from "../../schemas/agent-schema/projections/projection.ts"
import * as Api from "../../schemas/api/api.ts"
import * as Catalogue from "../../schemas/api/catalogue.ts"
import { SessionCommand } from "../../schemas/api/commands.ts"
import { SDKControlGetContextUsageResponse } from "../../schemas/sdk/control/context-report.ts"
import { SessionCost } from "../../store/costs.ts"
import { route } from "../route.ts"
import { Uuid } from "../../schemas/ids.ts"
import { answer, At, Cursor, Instant, Limit, list, SessionId } from "./parts.ts"

export const listTodos = route({
  id: "listTodos",
  method: "get",
  path: "/v1/sessions/{id}/todos",
  summary: "List a session's todos and tasks",
  description: "The todos of the last TodoWrite call, then the tasks of TaskCreate and TaskUpdate.",
  tag: "sessions",
  auth: "sessions:read",
  params: SessionId,
  query: Schema.Struct({ at: At }),
  answers: { 200: answer("The items, in order.", list("todos", Api.TodoEntry)) },
})

export const listSessionCommands = route({
  id: "listSessionCommands",
  method: "get",
  path: "/v1/sessions/{id}/commands",
  summary: "List a session's slash commands",
  description:
    "The commands that a prompt of the session can call now: from its options, its tenant, its workspace and its skills, prompts of its MCP servers, and Perch's own. Of several commands with the same name, only the one that a prompt calls. `notices` describe the errors of files that are left out.",
  tag: "commands",
  auth: "sessions:read",
  params: SessionId,
  answers: {
    200: answer(
      "The commands.",
      list("data", SessionCommand, {
        notices: Schema.Array(Schema.String).annotate({
          description: "The errors of files that are left out, a sentence each.",
        }),
      }),
    ),
  },
})

export const sessionCost = route({
  id: "sessionCost",
  method: "get",
  path: "/v1/sessions/{id}/cost",
  summary: "Read a session's cost",
  description:
    "By model and by kind of token, including subagents, compaction and wasted requests. A copy (fork) includes its parent's cost at the time of the copy, as in the Claude Agent SDK; `/v1/costs` has the cost of the copy itself.",
  tag: "costs",
  auth: "sessions:read",
  params: SessionId,
  query: Schema.Struct({ at: At }),
  answers: { 200: answer("Its cost.", Catalogue.CostReport) },
})

export const sessionContext = route({
  id: "sessionContext",
  method: "get",
  path: "/v1/sessions/{id}/context",
  summary: "Read the usage of the model's context window",
  description:
    "Same as `get_context_usage` of the control protocol. The total is the API's count of the last request; its division is an estimate. `autoCompactThreshold` is the number of tokens at which automatic compaction starts.",
  tag: "sessions",
  auth: "sessions:read",
  params: SessionId,
  answers: {
    200: answer(
      "The usage of the window.",
      SDKControlGetContextUsageResponse.annotate({ identifier: "ContextReport" }),
    ),
  },
})

export const listCosts = route({
  id: "listCosts",
  method: "get",
  path: "/v1/costs",
  summary: "List the costs of all sessions",
  description:
    "Read from the read model, which lags behind the sessions by a few seconds. `from` ≤ time < `to`. Each request counts once, for the session that sent it: unlike `total_cost_usd`, the cost of a copy (fork) does not include its parent's.",
  tag: "costs",
  auth: "sessions:read",
  query: Schema.Struct({
    from: Schema.optionalKey(Instant),
    to: Schema.optionalKey(Instant),
    limit: Limit(1000),
    cursor: Cursor,
  }),
  answers: {
    200: answer(
      "Costs by session and model; the totals are over all pages.",
      list("data", SessionCost.annotate({ identifier: "SessionCost" }), {
        total_usd: Schema.Finite,
        has_unpriced: Schema.Boolean,
        next_cursor: Schema.NullOr(Schema.String),
      }),
    ),
  },
})

export const listModels = route({
  id: "listModels",
  method: "get",
  path: "/v1/models",
  summary: "List models and prices",
  description:
    "The models with known prices. Other models can be used too, but their cost is unknown. `variants` lists what each `options.variant` sets; `requested_budget_tokens` is present when the model allows fewer tokens than the variant requests. " +
    "`format=providers` returns opencode's list of providers, with each model under its dated id if it has one.",
  tag: "catalogue",
  auth: "sessions:read",
  query: Schema.Struct({ format: Schema.optionalKey(Schema.Literals(["models", "providers"])) }),
  answers: {
    200: answer(
      "Models, or providers.",
      Schema.Union([
        list("data", Catalogue.Model).annotate({ identifier: "ModelList", description: "The models." }),
        list("providers", Catalogue.ModelProvider).annotate({
          identifier: "ProviderList",
          description: "The providers, with `format=providers`.",
        }),
      ]),
    ),
  },
})

export const getModel = route({
  id: "getModel",
  method: "get",
  path: "/v1/models/{id}",
  summary: "Read a model by its id, a dated id or an alias",
  description: "In the same form as in `GET /v1/models`.",
  tag: "catalogue",
  auth: "sessions:read",
  params: Schema.Struct({ id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)) }),
  answers: { 200: answer("The model.", Catalogue.Model) },
  errors: ["not_found_error"],
})

export const listTools = route({
  id: "listTools",
  method: "get",
  path: "/v1/tools",
  summary: "List the tools",
  description:
    "The built-in tools; with `session` the tools that its model is offered, including those of MCP servers, clients and the output format. " +
    "`projection` adds each built-in tool's schema as that provider accepts it. `rejected` lists the tools that the " +
    "provider would refuse, or that the session has but its model is not offered, each with the reason.",
  tag: "catalogue",
  auth: "sessions:read",
  query: Schema.Struct({ projection: Schema.optionalKey(Provider), session: Schema.optionalKey(Uuid) }),
  answers: {
    200: answer("Tools.", list("data", Catalogue.ToolInfo, { rejected: Schema.Array(Catalogue.RejectedTool) })),
  },
  errors: ["not_found_error"],
})
