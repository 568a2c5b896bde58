// Row of the route table: rebuilding the rows of sessions in D1.
import { Rebuild, Rebuilt } from "../../schemas/api/rebuild.ts"
import { route } from "../route.ts"
import { answer } from "./parts.ts"

export const rebuildRows = route({
  id: "rebuildRows",
  method: "post",
  path: "/v1/admin/rebuild",
  summary: "Write the rows that D1 has of sessions anew from their logs",
  description:
    "Only the root key does, after D1 was restored or lost rows. A session's rows (`sessions`, `messages`, `parts`, `costs`, `turns`, `hook_events`) are removed and written again from its log; sending the same again changes nothing, and a rebuild that breaks off is finished by the session itself. With `session` it is one session, otherwise a page of the tenant's: go on with `next_cursor` until it is null. A session with `rows: null` was erased meanwhile or never made, and is not counted any more.",
  tag: "admin",
  auth: "admin",
  body: Rebuild,
  answers: { 200: answer("What D1 has of each session now.", Rebuilt) },
  errors: ["permission_error", "not_found_error"],
  example: { tenant: "acme", limit: 50 },
})
