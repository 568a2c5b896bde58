// The routes of the default configuration of a tenant's new sessions.
// Invariants: values that no session could use are refused with all issues; the values of headers and the query of an
// address are stored encrypted and never shown.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { serverIssues } from "../../../mcp/remote/server-rules.ts"
import type { ConfiguredServer, TenantConfig } from "../../../schemas/api/opencode/config.ts"
import { MAX_DEFINITION_BYTES } from "../../../schemas/definitions.ts"
import type { RefusedField } from "../../../schemas/errors/rpc-error.ts"
import { maskServer } from "../../../schemas/sdk/options/masked-options.ts"
import { mcpServerRefusal } from "../../../schemas/sdk/options/mcp-server-refusal.ts"
import { deleteDefinition, putDefinition, readDefinition } from "../../../store/definitions.ts"
import { seal } from "../../../store/seal.ts"
import { rootKey } from "../../auth/auth.ts"
import { noteDefinitions } from "../../auth/definition-versions.ts"
import { remoteSettings } from "../../bodies/check-options.ts"
import * as contract from "../../contract/definitions/config.ts"
import { ApiError, fromStore, invalidFields } from "../../errors/errors.ts"
import { type App, type Caller, handle, json } from "../../handle.ts"

/** The key of the tenant's only configuration. */
const keyOf = (tenant: string) => ({ tenant, kind: "config", name: "default" }) as const

export const configRoutes = (app: App): void => {
  handle(
    app,
    contract.getConfig,
    Effect.fnUntraced(function* (_, { env, tenant }) {
      const found = yield* fromStore(readDefinition(env.DB, keyOf(tenant)))
      return json(200, found?.value ?? {})
    }),
  )

  handle(
    app,
    contract.putConfig,
    Effect.fnUntraced(function* ({ body }, { env, tenant }) {
      const issues = configIssues(body, env)
      if (issues.length > 0) return yield* invalidFields(issues)
      const key = keyOf(tenant)
      if (Object.keys(body).length === 0) {
        const version = yield* fromStore(deleteDefinition(env.DB, key))
        if (version !== null) noteDefinitions(tenant, version)
        return json(200, {})
      }
      const shown = masked(body)
      const secret = JSON.stringify(shown) === JSON.stringify(body) ? null : JSON.stringify({ mcp: body.mcp })
      const root = yield* rootKey(env)
      const sealed = secret === null ? null : yield* Effect.promise(() => seal(root, tenant, secret))
      const at = yield* Clock.currentTimeMillis
      const written = yield* fromStore(putDefinition(env.DB, { ...key, value: shown, sealed, at }))
      if (written.state === "created" || written.state === "replaced") {
        noteDefinitions(tenant, written.version)
        return json(200, written.definition.value)
      }
      const message = `The tenant's storage limit of ${MAX_DEFINITION_BYTES} bytes of all kinds is reached. Remove some.`
      return yield* new ApiError({ type: "conflict_error", message })
    }),
  )
}

const masked = ({ mcp, ...config }: TenantConfig): Readonly<Record<string, unknown>> => ({
  ...config,
  ...(mcp === undefined
    ? {}
    : { mcp: Object.fromEntries(Object.entries(mcp).map(([name, server]) => [name, maskServer(server)])) }),
})

const configIssues = (config: TenantConfig, env: Caller["env"]): ReadonlyArray<RefusedField> => [
  ...(config.permissions?.mode === "bypassPermissions" ? [NO_BYPASS] : []),
  ...Object.entries(config.mcp ?? {}).flatMap(([name, server]) => issuesOf(name, server, env)),
]

const NO_BYPASS: RefusedField = {
  field: "permissions.mode",
  message:
    "permissions.mode can't be bypassPermissions for a whole tenant. Set permissionMode in the options of a session.",
}

const issuesOf = (name: string, server: ConfiguredServer, env: Caller["env"]): ReadonlyArray<RefusedField> => {
  const at = `mcp.${name}`
  const issue = (field: string, message: string) => ({ field: `${at}.${field}`, message: `${at}.${field} ${message}` })
  const why = mcpServerRefusal(server)
  if (why !== undefined) return [{ field: at, message: `${at} ${why}` }]
  if (server.enabled === false) return []
  const { type: _type, enabled: _enabled, command, environment, transport, url, ...rest } = server
  const local = Object.entries({ command, environment }).filter(([, given]) => given !== undefined)
  if (url === undefined) return [issue("url", "is missing")]
  return [
    ...local.map(([field]) => issue(field, "belongs to a local process, and Perch starts none")),
    ...serverIssues(
      "mcp",
      { [name]: { type: transport === "http" ? "http" : "sse", url, ...rest } },
      remoteSettings(env),
    ),
  ]
}
