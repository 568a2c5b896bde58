// Tickets: what they prove, and that any change to them is detected. Keys: how they are parsed and compared.
import fs from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import { hashApiKey, makeApiKey, parseApiKey } from "../../../src/http/auth/api-key.ts"
import { sameHash } from "../../../src/net/same-hash.ts"
import { looksLikeTicket, signTicket, verifyTicket } from "../../../src/http/auth/ticket.ts"
import { makeApi } from "../api.ts"

const session = "0192f0c1-2345-7abc-8def-0123456789ab"
const claims = {
  id: "t1",
  tenant: "root",
  session,
  key: "root",
  generation: 0,
  roles: ["observe"] as const,
  expires: 2_000_000_000,
}

const setUp = () => {
  const { database } = makeApi()
  return {
    database,
    sign: () => Effect.runPromise(signTicket(database.d1, claims, 0)),
    verify: (text: string, now = 0) => Effect.runPromise(verifyTicket(database.d1, text, now)),
  }
}

describe("a ticket", () => {
  it("contains what was signed, under a random key that is stored once", async () => {
    const { database, sign, verify } = setUp()
    expect(await verify(await sign())).toEqual(claims)
    expect(await verify(await sign())).toEqual(claims)
    expect(database.rows("ticket_keys")).toMatchObject([{ secret: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  })

  it("is invalid on another server", async () => {
    expect(await setUp().verify(await setUp().sign())).toBeNull()
  })

  it("is signed by the newest key, and valid until its own key is removed", async () => {
    const { database, sign, verify } = setUp()
    const old = await sign()
    database.sqlite.exec("INSERT INTO ticket_keys VALUES ('abcdef01', 'f00d', 4000000000000)")
    const minute = 60_000
    const next = await Effect.runPromise(signTicket(database.d1, claims, minute))
    expect(next).toMatch(/^abcdef01\./)
    expect([await verify(old, minute), await verify(next, minute)]).toEqual([claims, claims])
    database.sqlite.exec("DELETE FROM ticket_keys WHERE id <> 'abcdef01'")
    expect([await verify(old, 2 * minute), await verify(next, 2 * minute)]).toEqual([null, claims])
  })

  it("is signed and verified with the key that docs/production.md creates", async () => {
    const { database, verify } = setUp()
    const page = fs.readFileSync(path.join(import.meta.dirname, "../../../docs/production.md"), "utf8")
    for (const [, statement] of page.matchAll(/--command "((?:INSERT INTO|DELETE FROM) ticket_keys [^"]+)"/g)) {
      database.sqlite.exec(statement ?? "")
    }
    expect(database.rows("ticket_keys")).toHaveLength(1)
    const ticket = await Effect.runPromise(signTicket(database.d1, claims, 0))
    expect([looksLikeTicket(ticket), await verify(ticket)]).toEqual([true, claims])
  })

  it("is invalid with any character changed", async () => {
    const { sign, verify } = setUp()
    const ticket = await sign()
    for (let index = 0; index < ticket.length; index += 1) {
      // The last character of a base64url group has unused bits: change one that is used.
      const changed = ticket[index] === "A" ? "z" : "A"
      const forged = ticket.slice(0, index) + changed + ticket.slice(index + 1)
      expect(await verify(forged), `character ${index}`).toBeNull()
    }
    for (const text of ["", ".", "a.b.c", "a", `${ticket}.x`, "%%.%%.%%", "x".repeat(10_000)]) {
      expect(await verify(text)).toBeNull()
    }
  })

  it("expires", async () => {
    const { call, create, ticket } = makeApi()
    const id = await create()
    const url = `/v1/sessions/${id}/events/stream?ticket=${await ticket(id, { expires: claims.expires })}`
    const status = async () => (await call("HEAD", url, { key: null })).status
    vi.useFakeTimers({ toFake: ["Date"], now: claims.expires * 1000 - 1 })
    try {
      expect(await status()).toBe(200)
      vi.setSystemTime(claims.expires * 1000)
      expect(await status()).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe("an API key", () => {
  it("carries its tenant and id", () => {
    const key = makeApiKey("acme-2")
    expect(parseApiKey(key.text)).toEqual(key)
    for (const text of ["", "perch_a_b_c", `${key.text}0`, key.text.toUpperCase(), `x${key.text}`]) {
      expect(parseApiKey(text)).toBeNull()
    }
  })

  it("has a checksum that detects a typo at any position; an old key has none", () => {
    const { text } = makeApiKey("acme")
    for (let index = "perch_".length; index < text.length; index += 1) {
      const typo = text.slice(0, index) + (text[index] === "1" ? "2" : "1") + text.slice(index + 1)
      expect(parseApiKey(typo), `character ${index}`).toBeNull()
    }
    expect(parseApiKey(text.slice(0, -8))).toMatchObject({ tenant: "acme" })
  })

  it("is compared by its hash", async () => {
    const [a, b] = [await hashApiKey("a"), await hashApiKey("b")]
    expect(sameHash(a, a)).toBe(true)
    expect(sameHash(a, b)).toBe(false)
    expect(sameHash(a, a.slice(1))).toBe(false)
  })
})
