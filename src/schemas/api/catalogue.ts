// The responses of the HTTP API about costs, models and tools.
import * as Schema from "effect/Schema"
import { SchemaIssueAt } from "../agent-schema/errors.ts"
import { Effort } from "../sdk/options/options.ts"
import { CostBreakdown } from "../sdk/messages/usage.ts"

/** What a session cost. */
export const CostReport = Schema.Struct({
  total_cost_usd: Schema.Finite,
  /** The cost that counts for `options.maxBudgetUsd`: since a client last resumed the session. */
  budget_used_usd: Schema.Finite,
  /** True when a request used a model without a price: the total leaves it out. */
  has_unpriced: Schema.Boolean,
  model_usage: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)),
  costs: Schema.Record(Schema.String, CostBreakdown).annotate({
    description: "What each model cost, by kind of token: the totals add up to `total_cost_usd`.",
  }),
  cache_hit_rate: Schema.NullOr(Schema.Finite),
  requests: Schema.Int,
}).annotate({ identifier: "Cost" })
export type CostReport = typeof CostReport.Type

const Rates = Schema.Struct({
  input: Schema.Finite,
  output: Schema.Finite,
  cacheRead: Schema.Finite,
  cacheWrite5m: Schema.Finite,
  cacheWrite1h: Schema.Finite,
})

const VariantEffect = Schema.Struct({
  budget_tokens: Schema.optionalKey(Schema.Int),
  requested_budget_tokens: Schema.optionalKey(Schema.Int),
  effort: Schema.optionalKey(Effort),
}).annotate({ identifier: "VariantEffect" })

const providerFields = {
  id: Schema.String,
  name: Schema.String,
  cost: Schema.Struct({
    input: Schema.Finite,
    output: Schema.Finite,
    cache: Schema.Struct({ read: Schema.Finite, write: Schema.Finite }),
  }).annotate({ description: "USD per million tokens; cache writes are those for five minutes." }),
  context: Schema.Int,
  features: Schema.Array(Schema.String),
  variants: Schema.Record(Schema.String, VariantEffect),
}

/** A model in the shape of opencode's `Provider.list`. */
const ProviderModel = Schema.Struct(providerFields).annotate({ identifier: "ProviderModel" })

/** A provider and its models by id. */
export const ModelProvider = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  models: Schema.Record(Schema.String, ProviderModel),
}).annotate({ identifier: "ModelProvider" })

/** Prices are USD per million tokens, and per thousand web searches. */
export const Model = Schema.Struct({
  ...providerFields,
  dated_ids: Schema.Array(Schema.String),
  display_name: Schema.String,
  type: Schema.Literal("model"),
  context_window: Schema.Int,
  max_output_tokens: Schema.Int,
  context_with_beta: Schema.optionalKey(
    Schema.Struct({ beta: Schema.String, context_window: Schema.Int }).annotate({
      description: "The larger context window that a beta (`options.betas`) enables.",
    }),
  ),
  pricing: Schema.Struct({
    usd_per_million: Rates,
    usd_per_thousand_web_searches: Schema.Finite,
    tiers: Schema.optionalKey(
      Schema.Array(Schema.Struct({ upToPromptTokens: Schema.optionalKey(Schema.Int), usdPerMillion: Rates })),
    ),
    as_of: Schema.String,
  }),
  aliases: Schema.Array(Schema.String),
  thinking: Schema.Literals(["enabled", "adaptive"]),
  effort: Schema.optionalKey(Schema.Struct({ default: Schema.String })),
}).annotate({ identifier: "Model" })

/** A tool as the Messages API accepts it, with MCP's hints about its effects. */
export const ToolInfo = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  /** The tool's source; MCP tools, client tools and StructuredOutput are listed with `session` only. */
  source: Schema.Literals(["built_in", "mcp", "client", "structured_output"]),
  /** The MCP server that the tool belongs to. */
  server: Schema.optionalKey(Schema.String),
  /** The schema for the Messages API, whatever the projection. */
  input_schema: Schema.Record(Schema.String, Schema.Unknown),
  /** JSON Schema of the `tool_use_result` that accompanies a successful result. */
  output_schema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** `agent-schema-v2:sha256:HEX`: changes when the accepted input does, not with descriptions. */
  schema_fingerprint: Schema.String,
  annotations: Schema.Struct({
    destructiveHint: Schema.Boolean,
    idempotentHint: Schema.Boolean,
  }),
  /** The schema in the form of the provider that `projection` asked for; only built-in tools have one. */
  schema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** Properties that are renamed in that schema: their path there, and the name that the tool expects. */
  renamed: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
}).annotate({ identifier: "Tool" })

/** A tool that is not offered, with every issue of its schema. */
export const RejectedTool = Schema.Struct({
  name: Schema.String,
  source: Schema.Literals(["built_in", "mcp", "client", "structured_output"]),
  server: Schema.optionalKey(Schema.String),
  /** The end of a sentence that begins with the tool's name. */
  reason: Schema.String,
  /** The issues of the tool's schema; empty when another reason applies. */
  issues: Schema.Array(SchemaIssueAt),
}).annotate({ identifier: "RejectedTool" })
