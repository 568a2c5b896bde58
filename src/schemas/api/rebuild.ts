// The bodies of `POST /v1/admin/rebuild`: which sessions' rows in D1 to write anew, and what was written.
import * as Schema from "effect/Schema"
import { TenantName } from "./credentials.ts"
import { Uuid } from "../ids.ts"

/** How many rows D1 has of a session after they were written anew from its log. */
export const RebuiltRows = Schema.Struct({
  sessions: Schema.Int,
  messages: Schema.Int,
  parts: Schema.Int,
  costs: Schema.Int,
  turns: Schema.Int,
  hook_events: Schema.Int,
}).annotate({ identifier: "RebuiltRows" })
export type RebuiltRows = typeof RebuiltRows.Type

/** One session, or with no `session` a page of the tenant's sessions by id: those after `cursor`, `limit` of them. */
export const Rebuild = Schema.Struct({
  tenant: TenantName.annotate({ description: "The tenant of the sessions; `root` is the root key's own." }),
  session: Schema.optionalKey(Uuid.annotate({ description: "Rebuild this session alone." })),
  cursor: Schema.optionalKey(
    Uuid.annotate({ description: "The `next_cursor` of the page before. Without it the first page is rebuilt." }),
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
      description: "Sessions to rebuild in this request: 10 unless given, 50 at most.",
    }),
  ),
}).annotate({ identifier: "Rebuild" })
export type Rebuild = typeof Rebuild.Type

export const Rebuilt = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      session: Schema.String.annotate({ description: "The id of the session." }),
      rows: Schema.NullOr(RebuiltRows).annotate({
        description: "The rows that D1 has now; null when there is no such session any more.",
      }),
    }),
  ),
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description: "The `cursor` of the next page; null when there is none.",
  }),
}).annotate({ identifier: "Rebuilt" })
