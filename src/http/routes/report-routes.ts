// The routes of reports: messages and cost of a session, costs of all sessions, models and tools.
import * as Effect from "effect/Effect"
import { listModels, listProviders, modelNamed } from "../../model/catalogue/model-list.ts"
import type { Provider } from "../../schemas/agent-schema/projections/projection.ts"
import { outputSchemaOf } from "../../schemas/sdk/tools/tool-schemas.ts"
import { costsReport } from "../../store/costs.ts"
import type { SchemaTool } from "../../tools/make-tool.ts"
import { builtInTools } from "../../tools/registry.ts"
import { calendarTime } from "../bodies/calendar-time.ts"
import { contract } from "../contract/contract.ts"
import { readConversation } from "../sessions/conversation.ts"
import { ApiError, fromStore, invalidField } from "../errors/errors.ts"
import { type App, handle, json } from "../handle.ts"
import { callSession } from "../sessions/session-call.ts"

export const reportRoutes = (app: App): void => {
  handle(app, contract.listMessages, ({ params, query }, caller) =>
    query.format === "sdk" && query.order === "desc"
      ? Effect.fail(
          invalidField("order", "SDK messages are always sorted oldest first. Leave it out, or use format=parts"),
        )
      : readConversation(caller, params.id, { ...query, limit: query.limit ?? 100 }),
  )

  handle(
    app,
    contract.listTodos,
    Effect.fnUntraced(function* ({ params, query: { at } }, { session }) {
      return json(200, yield* callSession(session, params.id, (stub) => stub.todos(at)))
    }),
  )

  handle(
    app,
    contract.listSessionCommands,
    Effect.fnUntraced(function* ({ params }, { actor, session }) {
      return json(200, yield* callSession(session, params.id, (stub) => stub.commands(actor)))
    }),
  )

  handle(
    app,
    contract.sessionCost,
    Effect.fnUntraced(function* ({ params, query: { at } }, { session }) {
      return json(200, yield* callSession(session, params.id, (stub) => stub.cost(at)))
    }),
  )

  handle(
    app,
    contract.sessionContext,
    Effect.fnUntraced(function* ({ params }, { session }) {
      return json(200, yield* callSession(session, params.id, (stub) => stub.contextUsage()))
    }),
  )

  handle(
    app,
    contract.listCosts,
    Effect.fnUntraced(function* ({ query }, { env, tenant }) {
      const span = { from: yield* instant("from", query.from), to: yield* instant("to", query.to) }
      if (span.from !== undefined && span.to !== undefined && span.from >= span.to) {
        return yield* invalidField("from", "must be earlier than to")
      }
      const page = { ...span, cursor: query.cursor, limit: query.limit ?? 100 }
      return json(200, yield* fromStore(costsReport(env.DB, tenant, page)))
    }),
  )

  handle(app, contract.listModels, ({ query: { format } }) =>
    Effect.succeed(json(200, format === "providers" ? { providers: listProviders() } : { data: listModels() })),
  )

  handle(
    app,
    contract.getModel,
    Effect.fnUntraced(function* ({ params: { id } }) {
      const model = modelNamed(id)
      if (model !== null) return json(200, model)
      const message = `There is no model ${id} in the list. GET /v1/models has all of them; a session can use others too.`
      return yield* new ApiError({ type: "not_found_error", message })
    }),
  )

  handle(
    app,
    contract.listTools,
    Effect.fnUntraced(function* ({ query: { projection, session: id } }, { session }) {
      if (id === undefined) return json(200, listTools(builtInTools, projection))
      const { builtIn, others, rejected } = yield* callSession(session, id, (stub) => stub.toolCatalogue())
      const own = listTools(
        builtInTools.filter(({ name }) => builtIn.includes(name)),
        projection,
      )
      return json(200, {
        data: [
          ...own.data,
          ...others.map(({ destructive, idempotent, ...tool }) => ({
            ...tool,
            annotations: { destructiveHint: destructive, idempotentHint: idempotent },
          })),
        ],
        rejected: [...own.rejected, ...rejected.map((tool) => ({ ...tool, issues: tool.issues ?? [] }))],
      })
    }),
  )
}

/** Lists the built-in tools, and the issues of those whose schemas the provider would refuse. */
const listTools = (tools: ReadonlyArray<SchemaTool>, projection: Provider | undefined) => {
  const listed = tools.map((tool) => {
    const { schema, issues, renamed } = tool.agentSchema.project(projection ?? "anthropic")
    const output = outputSchemaOf(tool.name)
    const info = {
      name: tool.name,
      source: "built_in",
      description: tool.description,
      input_schema: tool.inputSchema,
      ...(output === undefined ? {} : { output_schema: output }),
      schema_fingerprint: tool.agentSchema.fingerprint,
      annotations: { destructiveHint: tool.destructive, idempotentHint: tool.idempotent },
    }
    const other = Object.keys(renamed).length === 0 ? {} : { renamed }
    return { info: projection === undefined ? info : { ...info, schema, ...other }, issues }
  })
  return {
    data: listed.filter(({ issues }) => issues.length === 0).map(({ info }) => info),
    rejected: listed
      .filter(({ issues }) => issues.length > 0)
      .map(({ info: { name, source }, issues }) => ({ name, source, reason: "is refused by that provider", issues })),
  }
}

/** Parses a date or time to milliseconds since 1970. */
const instant = (field: string, text: string | undefined): Effect.Effect<number | undefined, ApiError> => {
  const time = text === undefined ? undefined : calendarTime(text)
  return Number.isNaN(time) ? Effect.fail(invalidField(field, "is not a valid day or time")) : Effect.succeed(time)
}
