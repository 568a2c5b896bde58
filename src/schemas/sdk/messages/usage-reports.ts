// The two reports that clients ask for over the control channel: what fills the context, and what the session used.
// Invariant: numbers are tokens, US dollars, milliseconds or percentages, as each name indicates.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"
import { ReportedModelUsage } from "./usage.ts"

const opt = Schema.optionalKey
/** The answer to `get_context_usage`. */
export const SDKControlGetContextUsageResponse = open({
  categories: Schema.Array(
    open({
      id: opt(
        Schema.Literals([
          "system_prompt",
          "system_tools",
          "mcp_tools",
          "mcp_instructions",
          "mcp_tools_deferred",
          "system_tools_deferred",
          "custom_agents",
          "memory_files",
          "skills",
          "messages",
          "autocompact_buffer",
          "compact_buffer",
          "free_space",
        ]),
      ),
      name: Schema.String,
      tokens: Schema.Finite,
      color: Schema.String,
      isDeferred: opt(Schema.Boolean),
      kind: Schema.Literals(["used", "free", "buffer", "deferred"]),
    }),
  ),
  totalTokens: Schema.Finite,
  maxTokens: Schema.Finite,
  rawMaxTokens: Schema.Finite,
  percentage: Schema.Finite,
  gridRows: Schema.Array(
    Schema.Array(
      open({
        color: Schema.String,
        isFilled: Schema.Boolean,
        categoryName: Schema.String,
        tokens: Schema.Finite,
        percentage: Schema.Finite,
        squareFullness: Schema.Finite,
      }),
    ),
  ),
  model: Schema.String,
  memoryFiles: Schema.Array(open({ path: Schema.String, type: Schema.String, tokens: Schema.Finite })),
  mcpTools: Schema.Array(
    open({
      name: Schema.String,
      serverName: Schema.String,
      tokens: Schema.Finite,
      isLoaded: opt(Schema.Boolean),
    }),
  ),
  mcpInstructions: opt(Schema.Array(open({ serverName: Schema.String, tokens: Schema.Finite }))),
  deferredBuiltinTools: opt(
    Schema.Array(open({ name: Schema.String, tokens: Schema.Finite, isLoaded: Schema.Boolean })),
  ),
  systemTools: opt(Schema.Array(open({ name: Schema.String, tokens: Schema.Finite }))),
  systemPromptSections: opt(Schema.Array(open({ name: Schema.String, tokens: Schema.Finite }))),
  agents: Schema.Array(
    open({
      agentType: Schema.String,
      source: Schema.String,
      pluginId: opt(Schema.String),
      path: opt(Schema.String),
      tokens: Schema.Finite,
    }),
  ),
  slashCommands: opt(open({ totalCommands: Schema.Finite, includedCommands: Schema.Finite, tokens: Schema.Finite })),
  skills: opt(
    open({
      totalSkills: Schema.Finite,
      includedSkills: Schema.Finite,
      tokens: Schema.Finite,
      skillFrontmatter: Schema.Array(
        open({
          name: Schema.String,
          source: Schema.String,
          pluginName: opt(Schema.String),
          pluginId: opt(Schema.String),
          path: opt(Schema.String),
          tokens: Schema.Finite,
        }),
      ),
    }),
  ),
  autoCompactThreshold: opt(Schema.Finite),
  isAutoCompactEnabled: Schema.Boolean,
  messageBreakdown: opt(
    open({
      toolCallTokens: Schema.Finite,
      toolResultTokens: Schema.Finite,
      attachmentTokens: Schema.Finite,
      assistantMessageTokens: Schema.Finite,
      userMessageTokens: Schema.Finite,
      redirectedContextTokens: Schema.Finite,
      unattributedTokens: Schema.Finite,
      toolCallsByType: Schema.Array(
        open({ name: Schema.String, callTokens: Schema.Finite, resultTokens: Schema.Finite }),
      ),
      attachmentsByType: Schema.Array(open({ name: Schema.String, tokens: Schema.Finite })),
    }),
  ),
  apiUsage: Schema.NullOr(
    open({
      input_tokens: Schema.Finite,
      output_tokens: Schema.Finite,
      cache_creation_input_tokens: Schema.Finite,
      cache_read_input_tokens: Schema.Finite,
    }),
  ),
})
export type SDKControlGetContextUsageResponse = typeof SDKControlGetContextUsageResponse.Type

const Window = opt(
  Schema.NullOr(open({ utilization: Schema.NullOr(Schema.Finite), resets_at: Schema.NullOr(Schema.String) })),
)

const Shares = Schema.Array(open({ name: Schema.String, pct: Schema.Finite }))

const Behaviors = open({
  request_count: Schema.Finite,
  session_count: Schema.Finite,
  behaviors: Schema.Array(
    open({
      key: Schema.Literals([
        "cache_miss",
        "long_context",
        "subagent_heavy",
        "high_parallel",
        "cron",
        "max_effort",
        "workflow",
        "always_on_context",
        "large_tool_results",
      ]),
      pct: Schema.Finite,
      count: Schema.Finite,
    }),
  ),
  recommendations: opt(
    Schema.Array(open({ key: Schema.String, pct: Schema.Finite, title: Schema.String, detail: opt(Schema.String) })),
  ),
  fix: opt(open({ keys: Schema.Array(Schema.String), messages: Schema.Array(Schema.String) })),
  agents: Shares,
  skills: Shares,
  plugins: Shares,
  mcp_servers: Shares,
})

/** The answer to `get_usage`. The limits are those of a subscription, null when there is none. */
export const SDKControlGetUsageResponse = open({
  session: open({
    total_cost_usd: Schema.Finite,
    total_api_duration_ms: Schema.Finite,
    total_duration_ms: Schema.Finite,
    total_lines_added: Schema.Finite,
    total_lines_removed: Schema.Finite,
    model_usage: Schema.Record(Schema.String, ReportedModelUsage),
  }),
  subscription_type: Schema.NullOr(Schema.String),
  rate_limits_available: Schema.Boolean,
  rate_limits: Schema.NullOr(
    open({
      five_hour: Window,
      seven_day: Window,
      seven_day_oauth_apps: Window,
      seven_day_opus: Window,
      seven_day_sonnet: Window,
      model_scoped: opt(
        Schema.Array(
          open({
            display_name: Schema.String,
            utilization: Schema.NullOr(Schema.Finite),
            resets_at: Schema.NullOr(Schema.String),
          }),
        ),
      ),
      extra_usage: opt(
        Schema.NullOr(
          open({
            is_enabled: Schema.Boolean,
            monthly_limit: Schema.NullOr(Schema.Finite),
            used_credits: Schema.NullOr(Schema.Finite),
            utilization: Schema.NullOr(Schema.Finite),
            currency: opt(Schema.NullOr(Schema.String)),
          }),
        ),
      ),
    }),
  ),
  behaviors: Schema.NullOr(open({ day: Behaviors, week: Behaviors })),
})
export type SDKControlGetUsageResponse = typeof SDKControlGetUsageResponse.Type
