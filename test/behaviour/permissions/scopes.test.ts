// Requests every route of the route table: with every scope except its own, and with only its own.
import { describe, expect, it } from "vitest"
import { openApiDocument, routes } from "../../../src/http/openapi/document.ts"
import { type Route, route } from "../../../src/http/route.ts"
import { ROLES, type Scope, SCOPES } from "../../../src/schemas/access.ts"
import { type Call, makeApi } from "../../http/api.ts"

const guarded = routes.filter((row): row is Route & { readonly auth: Scope } => row.auth !== "none")
const ticketed = guarded.filter(({ ticket }) => ticket !== undefined)

/** Bodies for routes whose example needs more than their own scope; only the root key can rebuild. */
const BODIES: Readonly<Record<string, unknown>> = {
  createKey: {},
  createTicket: { roles: ["observe"] },
  rebuildRows: {},
}

/** The scopes that a route needs in addition to its own to reach its own answer. */
const ADDITIONAL: Readonly<Record<string, ReadonlyArray<Scope>>> = { createTicket: ["sessions:read"] }

const setUp = async () => {
  const api = makeApi()
  const { key: owner } = await api.makeKey({ scopes: SCOPES })
  const id = await api.create({ key: owner })
  const request = (row: Route): readonly [string, string, Call] => {
    const path = row.path
      .replace("{id}", id)
      .replace("{request_id}", "r1")
      .replace("{key_id}", "0123456789abcdef")
      .replace("{path}", "workspace/a.txt")
    const json = BODIES[row.id] ?? row.example
    // The session validates an archive, and the fake session has none.
    if (row.id === "putArchive") return ["PUT", path, { body: "x", headers: { "content-length": "999999999" } }]
    const sent = row.bytes === true ? { body: "x" } : json === undefined ? {} : { json }
    return [row.method.toUpperCase(), path, sent]
  }
  return { ...api, id, request }
}

describe(`the ${guarded.length} guarded routes × ${SCOPES.length} scopes`, () => {
  it("a key with every other scope is refused, and the error names the missing scope", async () => {
    const { makeKey, refused, request } = await setUp()
    for (const row of guarded) {
      const { key } = await makeKey({ scopes: SCOPES.filter((scope) => scope !== row.auth) })
      const { error } = await refused(403, ...withKey(request(row), key))
      expect(error.type, row.id).toBe("permission_error")
      expect(error.message, row.id).toContain(row.auth)
    }
  })

  it("a key with only that scope gets the route's own answer", async () => {
    const { makeKey, call, request } = await setUp()
    for (const row of guarded) {
      const { key } = await makeKey({ scopes: [row.auth, ...(ADDITIONAL[row.id] ?? [])] })
      const response = await call(...withKey(request(row), key))
      expect([401, 403], `${row.id} answers ${response.status}`).not.toContain(response.status)
      await response.body?.cancel()
    }
  })

  it("each single scope grants exactly the routes that name it", async () => {
    const { makeKey, call, request } = await setUp()
    for (const scope of SCOPES) {
      const { key } = await makeKey({ scopes: [scope] })
      for (const row of guarded.filter(({ auth }) => auth !== scope)) {
        expect((await call(...withKey(request(row), key))).status, `${row.id} with ${scope}`).toBe(403)
      }
    }
  })
})

describe(`the ${guarded.length} guarded routes × ${ROLES.length} roles of tickets`, () => {
  it("a ticket grants exactly the routes that name its role", async () => {
    const { makeKey, call, request, id, ticket } = await setUp()
    const { id: key } = await makeKey()
    for (const role of ROLES) {
      const own = await ticket(id, { tenant: "acme", key, roles: [role] })
      for (const row of guarded) {
        const [method, path, sent] = request(row)
        const response = await call(method, `${path}?ticket=${own}`, { ...sent, key: null })
        const expected = row.ticket === undefined ? 401 : row.ticket.includes(role) ? undefined : 403
        if (expected === undefined) expect([401, 403], `${row.id} with ${role}`).not.toContain(response.status)
        else expect(response.status, `${row.id} with ${role}`).toBe(expected)
        if (response.status < 300) await response.body?.cancel()
      }
    }
  })

  it("a ticket for another session, or of another tenant's key, grants none", async () => {
    const { makeKey, refused, request, id, ticket } = await setUp()
    const { id: otherKey } = await makeKey({ tenant: "other" })
    const { id: key } = await makeKey()
    const other = "0192f0c1-2345-7abc-8def-0123456789ab"
    for (const row of ticketed) {
      const [method, path, sent] = request(row)
      for (const bad of [
        await ticket(other, { tenant: "acme", key }),
        await ticket(id, { tenant: "acme", key: otherKey }),
        await ticket(id, { tenant: "acme", key: "root" }),
      ]) {
        await refused(401, method, `${path}?ticket=${bad}`, { ...sent, key: null })
      }
    }
  })
})

describe("the contract", () => {
  it("accepts no route that does not declare who may call it", () => {
    const row = { id: "x", method: "get", path: "/x", summary: "x", tag: "x", answers: {} } as const
    // @ts-expect-error: `auth` is missing.
    expect(route(row)).toBe(row)
    expect(routes.every(({ auth }) => auth === "none" || SCOPES.includes(auth))).toBe(true)
    expect(routes.filter(({ auth }) => auth === "none").map(({ id }) => id)).toEqual([
      "healthz",
      "openapi",
      "readyz",
      // The OAuth state of the callback is its credential.
      "oauthCallback",
      // The sign-in code in its body is its credential.
      "signIn",
    ])
  })

  it("shows each route's scope and roles", () => {
    const document = openApiDocument() as unknown as {
      paths: Record<string, Record<string, Record<string, unknown>>>
    }
    for (const row of routes) {
      const shown = document.paths[row.path]?.[row.method]
      const tickets = row.ticket === undefined ? [] : [{ ticket: [] }]
      const security = row.auth === "none" ? [] : [{ bearer: [] }, { apiKey: [] }, ...tickets]
      const scope = row.auth === "none" ? {} : { "x-required-scope": row.auth }
      expect(shown, row.id).toMatchObject({ security, ...scope })
      expect(shown?.["x-ticket-roles"], row.id).toEqual(row.ticket)
    }
  })
})

const withKey = ([method, path, sent]: readonly [string, string, Call], key: string) =>
  [method, path, { ...sent, key }] as const
