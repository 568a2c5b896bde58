// The route table: every path of the API with what it takes and answers. `handle.ts` validates by it and
// `openapi.ts` documents it.
import * as sessions from "./contract/sessions.ts"
import * as turns from "./contract/turns.ts"
import * as events from "./contract/events.ts"
import * as files from "./contract/files.ts"
import * as catalogue from "./contract/catalogue.ts"
import * as hooks from "./contract/hooks.ts"
import * as mcp from "./contract/mcp.ts"
import * as rebuild from "./contract/rebuild.ts"
import * as webhooks from "./contract/webhooks.ts"
import * as backup from "./contract/backup.ts"
import * as server from "./contract/server.ts"

export const contract = {
  ...sessions,
  ...turns,
  ...events,
  ...files,
  ...catalogue,
  ...hooks,
  ...webhooks,
  ...mcp,
  ...rebuild,
  ...backup,
  ...server,
}
