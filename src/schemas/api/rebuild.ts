// The bodies of `POST /v1/admin/rebuild`: the sessions whose rows in D1 are rebuilt, and what was written.
import * as Schema from "effect/Schema"
import { TenantName } from "./credentials.ts"
import { Uuid } from "../ids.ts"

/** How many rows D1 has of a session after they were rebuilt from its log. */
export const RebuiltRows = Schema.Struct({
  sessions: Schema.Int,
  messages: Schema.Int,
  parts: Schema.Int,
  costs: Schema.Int,
  turns: Schema.Int,
  hook_events: Schema.Int,
}).annotate({ identifier: "RebuiltRows" })
export type RebuiltRows = typeof RebuiltRows.Type

/** One session, or without `session` a page of the tenant's sessions, ordered by id: at most `limit` after `cursor`. */
export const Rebuild = Schema.Struct({
  tenant: TenantName.annotate({ description: "The tenant of the sessions; `root` is the root key's own." }),
  session: Schema.optionalKey(Uuid.annotate({ description: "Rebuild this session only." })),
  cursor: Schema.optionalKey(
    Uuid.annotate({ description: "The `next_cursor` of the previous page. Without it the first page is rebuilt." }),
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
      description: "Sessions to rebuild in this request: 10 by default, 50 at most.",
    }),
  ),
}).annotate({ identifier: "Rebuild" })
export type Rebuild = typeof Rebuild.Type

export const Rebuilt = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      session: Schema.String.annotate({ description: "The id of the session." }),
      rows: Schema.NullOr(RebuiltRows).annotate({
        description: "The rows that D1 has now; null when the session no longer exists.",
      }),
    }),
  ),
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description: "The `cursor` of the next page; null when there is none.",
  }),
}).annotate({ identifier: "Rebuilt" })
