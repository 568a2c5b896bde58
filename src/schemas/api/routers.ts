// The router's configuration that a tenant stores for all of its sessions, as the API receives and returns it.
import * as Schema from "effect/Schema"
import { CLAUDE_CODE_FIELDS, ClaudeCodeConfig } from "../interop/claude-code-config.ts"

/** There is only one router. */
export const RouterName = Schema.Literals(["default"])

/** `PUT /v1/routers/{name}` */
export const PutRouter = ClaudeCodeConfig

/** `POST /v1/routers` */
export const CreateRouter = Schema.Struct({ name: RouterName, ...CLAUDE_CODE_FIELDS }).annotate({
  identifier: "CreateRouter",
})

export const Router = Schema.Struct({
  name: Schema.String,
  source: Schema.Literals(["stored"]),
  ...CLAUDE_CODE_FIELDS,
  created_at: Schema.String,
  updated_at: Schema.String,
}).annotate({ identifier: "Router" })
