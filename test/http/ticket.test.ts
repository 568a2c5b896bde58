// Tickets: what they prove, and that nothing in them can be changed. Keys: how they are read and compared.
import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import { hashApiKey, makeApiKey, parseApiKey, sameHash } from "../../src/http/api-key.ts"
import { authenticateTicket } from "../../src/http/auth.ts"
import { signTicket, verifyTicket } from "../../src/http/ticket.ts"
import { makeApi, ROOT_KEY } from "./api.ts"

const session = "0192f0c1-2345-7abc-8def-0123456789ab"
const claims = { tenant: "acme", session, scopes: ["stream"] as const, expires: 2_000_000_000 }

describe("a ticket", () => {
  it("says what was signed", async () => {
    expect(await verifyTicket("root", await signTicket("root", claims))).toEqual(claims)
  })

  it("is worth nothing under another root key", async () => {
    expect(await verifyTicket("other", await signTicket("root", claims))).toBeNull()
  })

  it("is worth nothing with any character changed", async () => {
    const ticket = await signTicket("root", claims)
    for (let index = 0; index < ticket.length; index += 1) {
      // The last character of a base64url group has unused bits: change one that counts.
      const changed = ticket[index] === "A" ? "z" : "A"
      const forged = ticket.slice(0, index) + changed + ticket.slice(index + 1)
      expect(await verifyTicket("root", forged), `character ${index}`).toBeNull()
    }
    for (const text of ["", ".", "a.b.c", "a", `${ticket}.x`, "%%.%%", "x".repeat(10_000)]) {
      expect(await verifyTicket("root", text)).toBeNull()
    }
  })

  it("expires", async () => {
    const { env } = makeApi()
    const ticket = await signTicket(ROOT_KEY, claims)
    const open = () => Effect.runPromise(Effect.result(authenticateTicket(ticket, { session, scope: "stream" }, env)))
    vi.useFakeTimers({ toFake: ["Date"], now: claims.expires * 1000 - 1 })
    try {
      expect(await open()).toMatchObject({ _tag: "Success", success: { tenant: "acme", root: false } })
      vi.setSystemTime(claims.expires * 1000)
      expect(await open()).toMatchObject({ _tag: "Failure", failure: { type: "authentication_error" } })
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

  it("is compared by its hash", async () => {
    const [a, b] = [await hashApiKey("a"), await hashApiKey("b")]
    expect(sameHash(a, a)).toBe(true)
    expect(sameHash(a, b)).toBe(false)
    expect(sameHash(a, a.slice(1))).toBe(false)
  })
})
