// Receives facts of a session; returns the answers to control requests that only report, with the keys that official
// clients read.
// Invariant: pure functions; no answer holds a header or a variable of an MCP server, for those are secrets.
import type { Accounting } from "../../agent/transcript/accounting.ts"
import { INTERRUPT_CAPABILITIES } from "../../agent/messages/sdk-messages.ts"
import { modelInfos } from "../../model/catalogue/model-infos.ts"
import { withWindows } from "../../model/catalogue/window.ts"
import { directory, type Policy } from "../../permissions/policy.ts"
import { formatRule } from "../../permissions/rules.ts"
import type { AgentInfo } from "../../schemas/sdk/options/agents.ts"
import type { ModelInfo, SDKControlInitializeResponse } from "../../schemas/sdk/control/control-responses.ts"
import type { McpServerStatus } from "../../schemas/sdk/control/mcp-status.ts"
import type { SlashCommand } from "../../schemas/sdk/messages/message-values.ts"
import { PERCH_VERSION } from "../../schemas/version.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { PermissionBehavior } from "../../schemas/sdk/options/permissions.ts"
import type { PermissionRulesState } from "../../schemas/sdk/control/permission-rules-state.ts"
import type { SDKControlGetUsageResponse } from "../../schemas/sdk/control/usage-report.ts"
import type { SessionState } from "../../schemas/rpc/session.ts"
import type { SessionUsage } from "./session-usage.ts"

export const OUTPUT_STYLES = ["default"]

export interface InitializeFacts {
  readonly models: ReadonlyArray<ModelInfo>
  readonly agents: ReadonlyArray<AgentInfo>
  readonly commands: ReadonlyArray<SlashCommand>
  /** Whether the hooks of this `initialize` are in force. */
  readonly hooksApplied: boolean
  readonly permissionMode: string
  readonly state: SessionState
  readonly apiKeySource: string
}

/** The answer to `initialize`. There is no `pid`, for there is no process. */
export const initializeAnswer = (facts: InitializeFacts): SDKControlInitializeResponse & Record<string, unknown> => ({
  commands: facts.commands,
  agents: facts.agents,
  output_style: "default",
  available_output_styles: OUTPUT_STYLES,
  models: facts.models,
  account: { tokenSource: "none", apiKeySource: facts.apiKeySource, apiProvider: "firstParty" },
  claude_code_version: `perch-${PERCH_VERSION}`,
  current_permission_mode: facts.permissionMode,
  hooks_applied: facts.hooksApplied,
  hook_on_failure_supported: true,
  fast_mode_state: "off",
  session_state: facts.state,
  capabilities: INTERRUPT_CAPABILITIES,
})

/** The answer to `list_models`. */
export const modelsAnswer = (): { readonly models: ReadonlyArray<ModelInfo> } => ({ models: modelInfos() })

/** The answer to `mcp_status`. */
export const mcpStatusAnswer = (
  servers: ReadonlyArray<McpServerStatus>,
): { readonly mcpServers: ReadonlyArray<McpServerStatus> } => ({
  mcpServers: servers.map((server) => {
    if (server.config === undefined) return server
    const { headers: _headers, env: _env, ...config } = server.config as typeof server.config & Record<string, unknown>
    // Can't fail: both fields are optional in every kind of configuration.
    return { ...server, config: config as typeof server.config }
  }),
})

/** The answer to `list_permission_rules`: the rules in effect, each with its source. */
export const permissionRulesAnswer = (facts: {
  readonly policy: Policy
  readonly options: SessionOptions
  readonly cwd: string
}): { readonly state: PermissionRulesState } => {
  const { policy, options, cwd } = facts
  const { permissions } = options.settings ?? {}
  const ofBehavior = (behavior: PermissionBehavior): PermissionRulesState["rules"] =>
    policy.rules[behavior].map((rule) => {
      const shown = { behavior, rule: formatRule(rule) }
      if (rule.source === "flagSettings") return { ...shown, source: rule.source, editability: "readonly" }
      return { ...shown, source: rule.source === "cliArg" ? rule.source : "session", editability: "session" }
    })
  const names = (paths: ReadonlyArray<string> = [], path: string): boolean =>
    paths.some((one) => directory(one) === path)
  const directorySource = (path: string): string => {
    if (names(options.additionalDirectories, path)) return "cliArg"
    return names(permissions?.additionalDirectories, path) ? "flagSettings" : "session"
  }
  return {
    state: {
      rules: [...ofBehavior("allow"), ...ofBehavior("deny"), ...ofBehavior("ask")],
      workspaceDirectories: policy.directories.map((path) => ({ path, source: directorySource(path) })),
      originalCwd: cwd,
      managedOnly: false,
    },
  }
}

type Costs = Pick<Accounting, "totalUsd" | "hasUnpriced" | "modelUsage">

/** The answer to `get_usage`: the session's own part. A session that pays by API key has no subscription's limits. */
export const usageAnswer = (
  costs: Costs,
  usage: SessionUsage,
  options: Pick<SessionOptions, "betas"> = {},
): SDKControlGetUsageResponse => ({
  session: {
    total_cost_usd: costs.totalUsd,
    total_api_duration_ms: usage.apiMs,
    total_duration_ms: usage.turnMs,
    total_lines_added: usage.linesAdded,
    total_lines_removed: usage.linesRemoved,
    model_usage: withWindows(options, costs.modelUsage),
  },
  subscription_type: null,
  rate_limits_available: false,
  rate_limits: null,
  behaviors: null,
})

/** The answer to `get_session_cost`: a text for people, and the number in it. */
export const costAnswer = (
  costs: Costs,
  usage: SessionUsage,
): { readonly text: string; readonly total_cost_usd: number } => {
  const models = Object.entries(costs.modelUsage).map(
    ([model, used]) =>
      `  ${model}: ${dollars(used.costUSD)} for ${used.inputTokens} tokens in, ${used.outputTokens} out, ` +
      `${used.cacheReadInputTokens} read from the cache, ${used.cacheCreationInputTokens} written to it`,
  )
  const lines = [
    `Cost: ${dollars(costs.totalUsd)}${costs.hasUnpriced ? " and requests whose price is not known" : ""}`,
    `Time: ${seconds(usage.turnMs)} in turns, ${seconds(usage.apiMs)} of it waiting for the model`,
    `Lines: ${usage.linesAdded} added, ${usage.linesRemoved} removed`,
    ...(models.length === 0 ? [] : ["Models:", ...models]),
  ]
  return { text: lines.join("\n"), total_cost_usd: costs.totalUsd }
}

const dollars = (usd: number): string => `$${usd.toFixed(4)}`

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
