// HTTP hooks in the options of every route that accepts options: rejected by field, and masked wherever options are shown.
import { describe, expect, it } from "vitest"
import { contract } from "../../../src/http/contract/contract.ts"
import { CLOSED_HOOKS, REFUSED_HEADERS } from "../../hooks/hook-addresses.ts"
import { makeApi, ROOT_KEY } from "../../http/api.ts"

const ID = "0199a000-0000-7000-8000-00000000abcd"
const api = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, PERCH_FETCH_RESOLVER: "off" })

/** The bodies of the routes that take options, by the route's id. */
const BODIES: Readonly<Record<string, (options: object) => object>> = {
  createSession: (options) => ({ options }),
  createWorkflowRun: (options) => ({ options }),
  forkSession: (options) => ({ options }),
  patchSession: (options) => ({ options }),
  query: (options) => ({ prompt: "hello", options }),
  querySession: (options) => ({ prompt: "hello", options }),
  runAgent: (options) => ({ sessionId: ID, prompt: "hello", timeoutMs: 60_000, options }),
}

const rows = Object.values(contract).flatMap((row) => {
  const body = "body" in row ? row.body : undefined
  const fields = body !== undefined && "fields" in body ? (body.fields as Record<string, unknown>) : {}
  return "options" in fields
    ? [{ id: row.id, method: row.method.toUpperCase(), path: row.path.replace("{id}", ID).replace("{name}", "debate") }]
    : []
})

const refused = async (hook: object) => {
  const messages = []
  for (const { id, method, path } of rows) {
    const options = { hooks: { PreToolUse: [{ hooks: [{ type: "http", url: "https://hooks.acme.com/", ...hook }] }] } }
    const { error } = await api.refused(400, method, path, { json: BODIES[id]!(options) })
    expect(error, `${id} ${JSON.stringify(hook)}`).toMatchObject({
      type: "invalid_request_error",
      field: expect.stringMatching(/^options\.hooks\.PreToolUse\[0\]\.hooks\[0\]\.(url|headers)/),
    })
    messages.push(error.message)
  }
  return messages.join("\n")
}

describe("HTTP hooks in a request", () => {
  it("are validated wherever options are accepted", () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(Object.keys(BODIES).toSorted())
  })

  it(`are rejected for each of ${CLOSED_HOOKS.length} addresses at ${rows.length} routes`, async () => {
    for (const url of CLOSED_HOOKS) expect(await refused({ url })).not.toContain("secret")
  })

  it(`are rejected for each of ${REFUSED_HEADERS.length} headers at ${rows.length} routes`, async () => {
    for (const headers of REFUSED_HEADERS) expect(await refused({ headers })).not.toContain("canary")
  })
})
