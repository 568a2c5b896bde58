// A tenant for one test, whose lists have nothing of the tests that use the shared server at the same time: theirs may fill the
// first page of a list before the test's page reads it.
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { PerchClient } from "../server/client.ts"

/** A client with a key of a new tenant of the shared server. */
export const ownTenant = async (): Promise<PerchClient> => {
  const root = new PerchClient(inject("shared"))
  const json = { tenant: `own-${randomUUID().slice(0, 8)}` }
  const { key } = await root.json<{ readonly key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  return root.withKey(key)
}
