// Usage of a whole session in messages: what fills the context, what was spent, and how much of a plan's limits is used.
// Invariant: names and values are the official SDK's; fields that it does not declare are kept.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"
import { ReportedModelUsage } from "./usage.ts"

export const SDKContextUsageCategory = open({
  name: Schema.String,
  tokens: Schema.Finite,
  kind: Schema.Literals(["used", "free", "buffer", "deferred"]),
})
export type SDKContextUsageCategory = typeof SDKContextUsageCategory.Type

/** What fills the context window, in tokens. */
export const SDKContextUsage = open({
  model: Schema.String,
  total_tokens: Schema.Finite,
  raw_max_tokens: Schema.Finite,
  percentage: Schema.Finite,
  over_limit: Schema.optionalKey(
    open({ tokens_over: Schema.Finite, kind: Schema.Literals(["hard_limit", "compaction_window"]) }),
  ),
  categories: Schema.Array(SDKContextUsageCategory),
  mcp_tools: Schema.Array(open({ name: Schema.String, server_name: Schema.String, tokens: Schema.Finite })),
  memory_files: Schema.Array(open({ path: Schema.String, type: Schema.String, tokens: Schema.Finite })),
  agents: Schema.Array(open({ agent_type: Schema.String, source: Schema.String, tokens: Schema.Finite })),
  skills: Schema.optionalKey(
    Schema.Array(
      open({
        name: Schema.String,
        source: Schema.String,
        plugin_name: Schema.optionalKey(Schema.String),
        tokens: Schema.Finite,
      }),
    ),
  ),
})
export type SDKContextUsage = typeof SDKContextUsage.Type

/** What a session has used: US dollars, milliseconds and lines. */
export const SessionUsage = open({
  total_cost_usd: Schema.Finite,
  total_api_duration_ms: Schema.Finite,
  total_duration_ms: Schema.Finite,
  total_lines_added: Schema.Finite,
  total_lines_removed: Schema.Finite,
  model_usage: Schema.Record(Schema.String, ReportedModelUsage),
})

/** What a session has used, with the limits of the plan if it has one. */
export const SDKUsageReport = open({
  session: SessionUsage,
  rate_limits: Schema.NullOr(
    open({
      limits: Schema.NullOr(
        Schema.Array(
          open({
            kind: Schema.String,
            group: Schema.String,
            percent: Schema.Finite,
            resets_at: Schema.NullOr(Schema.String),
            scope: Schema.optionalKey(
              Schema.NullOr(
                open({
                  model: Schema.optionalKey(Schema.NullOr(open({ display_name: Schema.String }))),
                  surface: Schema.optionalKey(Schema.NullOr(open({ display_name: Schema.String }))),
                }),
              ),
            ),
            severity: Schema.String,
            is_active: Schema.Boolean,
          }),
        ),
      ),
      extra_usage: Schema.optionalKey(
        Schema.NullOr(
          open({
            is_enabled: Schema.Boolean,
            monthly_limit: Schema.NullOr(Schema.Finite),
            used_credits: Schema.NullOr(Schema.Finite),
            utilization: Schema.NullOr(Schema.Finite),
            currency: Schema.optionalKey(Schema.NullOr(Schema.String)),
          }),
        ),
      ),
    }),
  ),
})
export type SDKUsageReport = typeof SDKUsageReport.Type

/** How much of a plan's limits is used. Times are in seconds since 1970. */
export const SDKRateLimitInfo = open({
  status: Schema.Literals(["allowed", "allowed_warning", "rejected"]),
  resetsAt: Schema.optionalKey(Schema.Finite),
  rateLimitType: Schema.optionalKey(
    Schema.Literals([
      "five_hour",
      "seven_day",
      "seven_day_opus",
      "seven_day_sonnet",
      "seven_day_overage_included",
      "overage",
    ]),
  ),
  utilization: Schema.optionalKey(Schema.Finite),
  overageStatus: Schema.optionalKey(Schema.Literals(["allowed", "allowed_warning", "rejected"])),
  overageResetsAt: Schema.optionalKey(Schema.Finite),
  overageDisabledReason: Schema.optionalKey(
    Schema.Literals([
      "overage_not_provisioned",
      "org_level_disabled",
      "org_level_disabled_until",
      "out_of_credits",
      "seat_tier_level_disabled",
      "member_level_disabled",
      "seat_tier_zero_credit_limit",
      "group_zero_credit_limit",
      "member_zero_credit_limit",
      "org_service_level_disabled",
      "no_limits_configured",
      "fetch_error",
      "unknown",
    ]),
  ),
  isUsingOverage: Schema.optionalKey(Schema.Boolean),
  overageInUse: Schema.optionalKey(Schema.Boolean),
  overageEnabled: Schema.optionalKey(Schema.Boolean),
  surpassedThreshold: Schema.optionalKey(Schema.Finite),
  limitScope: Schema.optionalKey(Schema.Literals(["service", "channel", "group_pool"])),
  errorCode: Schema.optionalKey(Schema.Literal("credits_required")),
  canUserPurchaseCredits: Schema.optionalKey(Schema.Boolean),
  hasChargeableSavedPaymentMethod: Schema.optionalKey(Schema.Boolean),
})
export type SDKRateLimitInfo = typeof SDKRateLimitInfo.Type
