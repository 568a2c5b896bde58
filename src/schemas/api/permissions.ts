// Bodies of the API about saved permissions: what the reply `always` left behind.
import * as Schema from "effect/Schema"
import { SavedScope } from "../permissions-saved.ts"

export const SavedPermission = Schema.Struct({
  id: Schema.String,
  permission: Schema.String.annotate({ description: "`bash`, `edit` or another permission of opencode." }),
  pattern: Schema.String.annotate({ description: "The commands, paths or names that it allows." }),
  scope: SavedScope.annotate({ description: "Where it holds: in the session, or in all of the tenant's." }),
  created_at: Schema.String,
}).annotate({ identifier: "SavedPermission" })
export type SavedPermission = typeof SavedPermission.Type
