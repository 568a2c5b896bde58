// The report on what the session used, which clients request over the control channel.
// Invariant: numbers are US dollars, milliseconds, counts or percentages, as each name indicates.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"
import { SessionUsage } from "../messages/usage-values.ts"

const opt = Schema.optionalKey

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
  session: SessionUsage,
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
