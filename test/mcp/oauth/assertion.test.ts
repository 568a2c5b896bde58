// The assertion with which a client authenticates by a private key.
import { generateKeyPairSync, type KeyObject } from "node:crypto"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { algorithmOf, assertion } from "../../../src/mcp/oauth/assertion.ts"
import { claimsOf } from "../../support/mcp/oauth-server.ts"

const NOW = 1_700_000_000_000

const pem = (key: KeyObject, type: "pkcs8" | "spki") => String(key.export({ type, format: "pem" }))
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const KEYS = {
  RS256: rsa,
  PS256: rsa,
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ES384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
  EdDSA: generateKeyPairSync("ed25519"),
} as const

describe.each(Object.keys(KEYS) as ReadonlyArray<keyof typeof KEYS>)("an assertion signed with %s", (alg) => {
  it("is valid for its audience, for five minutes", async () => {
    const { privateKey, publicKey } = KEYS[alg]
    const key = { privateKey: pem(privateKey, "pkcs8"), keyId: "k1", signingAlgorithm: alg }
    const text = await Effect.runPromise(assertion(key, "perch", "https://as.example", NOW))
    expect(JSON.parse(atob(text.split(".")[0] ?? ""))).toEqual({ alg, typ: "JWT", kid: "k1" })
    expect(claimsOf(text, pem(publicKey, "spki"))).toEqual({
      iss: "perch",
      sub: "perch",
      aud: "https://as.example",
      jti: expect.any(String),
      iat: NOW / 1000,
      exp: NOW / 1000 + 300,
    })
  })
})

describe("a key", () => {
  it("signs with its type's algorithm, unless another one of that type is named", () => {
    const kinds = Object.entries(KEYS).map(([, { privateKey }]) => algorithmOf(pem(privateKey, "pkcs8")))
    expect(kinds).toEqual(["RS256", "RS256", "ES256", "ES384", "EdDSA"])
    expect(algorithmOf(pem(rsa.privateKey, "pkcs8"), "PS256")).toBe("PS256")
    expect(algorithmOf(pem(rsa.privateKey, "pkcs8"), "ES256")).toBeNull()
  })

  it.each([
    ["a public key", pem(rsa.publicKey, "spki")],
    ["a key of the older form", String(rsa.privateKey.export({ type: "pkcs1", format: "pem" }))],
    ["an encrypted key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----"],
    ["no key", "secret"],
  ])("is not %s", (_, text) => {
    expect(algorithmOf(text)).toBeNull()
  })

  it("that is truncated causes an error that does not repeat it", async () => {
    const cut = pem(rsa.privateKey, "pkcs8").replace(/(\n[A-Za-z0-9+/=]+){10}\n-----END/, "\n-----END")
    const failed = await Effect.runPromise(
      Effect.flip(assertion({ privateKey: cut }, "perch", "https://as.example", NOW)),
    )
    expect(failed.message).toBe("oauth.privateKey is not a key that can sign.")
  })
})
