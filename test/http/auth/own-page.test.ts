// Which requests come from this machine's own page.
import { describe, expect, it } from "vitest"
import { fromOwnPage, signsInWithCodes } from "../../../src/http/auth/own-page.ts"
import type { Env } from "../../../src/schemas/env.ts"

const OWN = { host: "127.0.0.1:8787", origin: "http://127.0.0.1:8787" }
const isOwn = (headers: Record<string, string>): boolean => fromOwnPage(new Headers(headers))

describe("a page of this machine", () => {
  it.each([
    OWN,
    { host: "localhost:8787", origin: "http://localhost:8787" },
    { host: "LOCALHOST:8787", origin: "http://localhost:8787" },
    { host: "localhost", origin: "http://localhost" },
    { host: "127.0.0.2:1", origin: "http://127.0.0.2:1" },
    { host: "[::1]:8787", origin: "https://[::1]:8787" },
    { ...OWN, "sec-fetch-site": "same-origin", "cf-connecting-ip": "127.0.0.1" },
    { ...OWN, "cf-connecting-ip": "::ffff:127.0.0.1" },
    { ...OWN, "cf-connecting-ip": "::1" },
  ])("signs in: %j", (headers) => expect(isOwn(headers)).toBe(true))

  it.each([
    // No page at all, or one that hides its origin.
    { host: OWN.host },
    { host: OWN.host, origin: "null" },
    { host: OWN.host, origin: "" },
    // A page of another site, or of another port of this machine.
    { host: OWN.host, origin: "https://evil.example" },
    { host: OWN.host, origin: "http://127.0.0.1:3000" },
    { host: OWN.host, origin: "http://localhost:8787" },
    { host: OWN.host, origin: "http://127.0.0.1:8787.evil.example" },
    { host: OWN.host, origin: "ftp://127.0.0.1:8787" },
    { ...OWN, "sec-fetch-site": "cross-site" },
    { ...OWN, "sec-fetch-site": "same-site" },
    { ...OWN, "sec-fetch-site": "none" },
    // A name that resolves to this machine because of DNS rebinding.
    { host: "evil.example:8787", origin: "http://evil.example:8787" },
    { host: "127.0.0.1.nip.io:8787", origin: "http://127.0.0.1.nip.io:8787" },
    { host: "localhost.evil.example", origin: "http://localhost.evil.example" },
    { host: "2130706433:8787", origin: "http://2130706433:8787" },
    { host: "user@127.0.0.1:8787", origin: "http://user@127.0.0.1:8787" },
    { host: "0.0.0.0:8787", origin: "http://0.0.0.0:8787" },
    { host: "[::]:8787", origin: "http://[::]:8787" },
    { host: "10.0.0.1:8787", origin: "http://10.0.0.1:8787" },
    { host: "", origin: "http://" },
    { origin: OWN.origin },
    // Another machine, or a proxy in between.
    { ...OWN, "cf-connecting-ip": "192.0.2.1" },
    { ...OWN, "cf-connecting-ip": "127.0.0.1.example" },
    { ...OWN, "x-forwarded-for": "127.0.0.1" },
    { ...OWN, "x-forwarded-host": "perch.example" },
    { ...OWN, forwarded: "for=192.0.2.1" },
    { ...OWN, via: "1.1 proxy" },
    { ...OWN, "cf-ray": "8f" },
  ] as ReadonlyArray<Record<string, string>>)("does not: %j", (headers) => expect(isOwn(headers)).toBe(false))
})

describe("sign-in with codes", () => {
  const disk = {} as Fetcher // only its presence is checked
  const env = (settings: Partial<Env>) => settings as Env // the two settings that are read
  it("is only for a server of npm start that listens on loopback", () => {
    expect(signsInWithCodes(env({ PERCH_LOCAL_SIGN_IN: "true", LOCAL_DISK: disk }))).toBe(true)
    expect(signsInWithCodes(env({ PERCH_LOCAL_SIGN_IN: "false", LOCAL_DISK: disk }))).toBe(false)
    expect(signsInWithCodes(env({ LOCAL_DISK: disk }))).toBe(false)
    // The setting alone, as a deployment could have it by mistake.
    expect(signsInWithCodes(env({ PERCH_LOCAL_SIGN_IN: "true" }))).toBe(false)
    expect(signsInWithCodes(env({}))).toBe(false)
  })
})
