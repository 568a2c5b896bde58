// Rows of the route table: the default configuration of a tenant's new sessions.
import { TenantConfig } from "../../../schemas/api/opencode/config.ts"
import { route } from "../../route.ts"
import { answer } from "../parts.ts"

export const getConfig = route({
  id: "getConfig",
  method: "get",
  path: "/v1/config",
  summary: "Read the default configuration of new sessions",
  description: "An empty object if nothing was stored. Secrets of servers are masked.",
  tag: "sessions",
  auth: "sessions:read",
  answers: { 200: answer("The configuration.", TenantConfig) },
})

export const putConfig = route({
  id: "putConfig",
  method: "put",
  path: "/v1/config",
  summary: "Replace the default configuration of new sessions",
  description:
    "Replaces the whole configuration; an empty object removes it. Within a minute it applies to all new sessions, in every setting that a session does not set itself; their `options` show it. Existing sessions keep the configuration that they started with.",
  tag: "sessions",
  auth: "sessions:write",
  body: TenantConfig,
  example: { model: { default: "sonnet" }, thinking: { budget: 10_000 }, permissions: { mode: "acceptEdits" } },
  answers: { 200: answer("The configuration.", TenantConfig) },
  errors: ["conflict_error"],
})
