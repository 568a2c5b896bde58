// Rows of the route table: the default configuration of a tenant's new sessions.
import { TenantConfig } from "../../../schemas/api/opencode/config.ts"
import { route } from "../../route.ts"
import { answer } from "../parts.ts"

export const getConfig = route({
  id: "getConfig",
  method: "get",
  path: "/v1/config",
  summary: "Read what holds for new sessions",
  description: "An empty object where nothing was stored. Secrets of servers are masked.",
  tag: "sessions",
  auth: "sessions:read",
  answers: { 200: answer("The configuration.", TenantConfig) },
})

export const putConfig = route({
  id: "putConfig",
  method: "put",
  path: "/v1/config",
  summary: "Store what holds for new sessions",
  description:
    "All of it is replaced; an empty object takes it away. It holds for sessions that are made within a minute and later, in each where the session does not say otherwise: their `options` show it. Sessions that there are keep what they began with.",
  tag: "sessions",
  auth: "sessions:write",
  body: TenantConfig,
  example: { model: { default: "sonnet" }, thinking: { budget: 10_000 }, permissions: { mode: "acceptEdits" } },
  answers: { 200: answer("The configuration.", TenantConfig) },
  errors: ["conflict_error"],
})
