// Receives the options of a new session, and what its tenant has stored for new sessions; returns the options with the
// tenant's defaults for what they leave open.
// Invariants: an option that the session sets is never changed; for a tenant that has stored nothing, D1 is not read.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Actor } from "../../schemas/access.ts"
import { TenantConfig } from "../../schemas/api/opencode/config.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { unseal } from "../../store/seal.ts"
import type { ObjectContext } from "../object-context.ts"
import { logLine } from "../server-log.ts"
import { definitionsAt } from "./definition-cache.ts"

const decode = Schema.decodeUnknownResult(TenantConfig)

/** What the tenant has stored for new sessions; null for one that has nothing. Rejects when D1 can't be reached. */
export const tenantConfig = async (
  { env, tenant }: Pick<ObjectContext, "env" | "tenant">,
  { definitions: version }: Pick<Actor, "definitions">,
): Promise<TenantConfig | null> => {
  if (version === undefined) return null
  const { values, sealed } = await definitionsAt(env.DB, tenant, version)
  const shown = values.config?.["default"]
  if (shown === undefined) return null
  const text = sealed.config?.["default"]
  // Secrets that were sealed under another root key are lost, and the MCP servers with them.
  const secret =
    text === undefined ? {} : await unseal(env.PERCH_ROOT_KEY ?? "", tenant, text).then(JSON.parse, () => ({ mcp: {} }))
  const decoded = decode({ ...shown, ...secret })
  if (Result.isSuccess(decoded)) return decoded.success
  logLine("warn", "a stored configuration could not be read", { tenant })
  return null
}

export const withTenantDefaults = (options: SessionOptions, config: TenantConfig): SessionOptions => ({
  ...modelOf(options, config),
  ...thinkingOf(options, config),
  ...modeOf(options, config),
  ...options,
  ...promptOf(options, config),
  ...serversOf(options, config),
})

/** An agent has a model of its own, or the default one. */
const modelOf = ({ model, settings, agent }: SessionOptions, config: TenantConfig): Pick<SessionOptions, "model"> => {
  const named = model ?? settings?.model ?? agent
  return named !== undefined || config.model?.default === undefined ? {} : { model: config.model.default }
}

const thinkingOf = (options: SessionOptions, config: TenantConfig): Pick<SessionOptions, "maxThinkingTokens"> => {
  const named =
    options.thinking ?? options.maxThinkingTokens ?? options.variant ?? options.settings?.alwaysThinkingEnabled
  return named !== undefined || config.thinking?.budget === undefined
    ? {}
    : { maxThinkingTokens: config.thinking.budget }
}

const modeOf = (
  { permissionMode, settings }: SessionOptions,
  config: TenantConfig,
): Pick<SessionOptions, "permissionMode"> => {
  const named = permissionMode ?? settings?.permissions?.defaultMode
  return named !== undefined || config.permissions?.mode === undefined
    ? {}
    : { permissionMode: config.permissions.mode }
}

const promptOf = (
  { systemPrompt }: SessionOptions,
  { instructions }: TenantConfig,
): Pick<SessionOptions, "systemPrompt"> => {
  if (instructions === undefined || instructions.trim() === "") return {}
  if (systemPrompt === undefined) {
    return { systemPrompt: { type: "preset", preset: "claude_code", append: instructions } }
  }
  const isPreset = typeof systemPrompt === "object" && "type" in systemPrompt && systemPrompt.type === "preset"
  return isPreset && systemPrompt.append === undefined
    ? { systemPrompt: { ...systemPrompt, append: instructions } }
    : {}
}

const serversOf = (
  { mcpServers, strictMcpConfig }: SessionOptions,
  { mcp = {} }: TenantConfig,
): Pick<SessionOptions, "mcpServers"> => {
  const servers = Object.entries(mcp).flatMap(([name, { enabled, type, url, command: _c, environment: _e, ...rest }]) =>
    type === "local" || enabled === false || url === undefined ? [] : [[name, { type, url, ...rest }] as const],
  )
  if (servers.length === 0 || strictMcpConfig === true) return {}
  return { mcpServers: { ...Object.fromEntries(servers), ...mcpServers } }
}
