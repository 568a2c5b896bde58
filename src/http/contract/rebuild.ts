// Row of the route table: rebuilding the rows of sessions in D1.
import { Rebuild, Rebuilt } from "../../schemas/api/rebuild.ts"
import { route } from "../route.ts"
import { answer } from "./parts.ts"

export const rebuildRows = route({
  id: "rebuildRows",
  method: "post",
  path: "/v1/admin/rebuild",
  summary: "Rebuild the D1 rows of sessions from their logs",
  description:
    "Requires the root key. Use it after D1 was restored or lost rows. A session's rows (`sessions`, `messages`, `parts`, `costs`, `turns`, `hook_events`) are removed and written again from its log; repeating the request changes nothing, and the session itself finishes an interrupted rebuild. With `session` it rebuilds one session, otherwise a page of the tenant's sessions: continue with `next_cursor` until it is null. A session with `rows: null` was erased or never created, and is no longer counted.",
  tag: "admin",
  auth: "admin",
  body: Rebuild,
  answers: { 200: answer("The rows that D1 now has of each session.", Rebuilt) },
  errors: ["permission_error", "not_found_error"],
  example: { tenant: "acme", limit: 50 },
})
