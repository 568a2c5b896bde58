// Texts from outside, as they are logged and shown.
import { describe, expect, it } from "vitest"
import { redact } from "../../src/net/redact.ts"
import { cpuTime } from "../support/values/cpu-time.ts"

const SECRET = "s3cr3t-value-1234"

const HIDDEN = [
  `invalid x-api-key: ${SECRET}`,
  `{"x-api-key": "${SECRET}"}`,
  `headers: { Authorization: 'Bearer ${SECRET}' }`,
  `Bearer ${SECRET}, and more`,
  `authorization=${SECRET}`,
  `Basic ${SECRET}`,
  `authorization: Basic ${SECRET}`,
  "perch_acme_0123456789abcdef_s3cr3t-value-1234",
  "sk-ant-api03-s3cr3t-value-1234_x",
  "Incorrect API key provided: sk-proj-s3cr3t-value-1234_x.",
  "Incorrect API key provided: sk-s3cr3t********1234.",
  "whsec_s3cr3t-value-1234+/=",
  "the ticket 0123abcd.eyJpZCI6InQxIn0.s3cr3t-value-1234 is not known",
  "the ticket 0123abcd4567ef89.eyJpZCI6InQxIn0.s3cr3t-value-1234 is not known",
  `could not reach https://hooks.acme.com/a?token=${SECRET}`,
  `could not reach https://hooks.acme.com/a#${SECRET}.`,
  `https://user:${SECRET}@hooks.acme.com/a`,
  `GET https://perch.acme.com/v1/sessions/1/socket?client=1&ticket=${SECRET} failed`,
  `wss://perch.acme.com/v1/sessions/1/socket?ticket=${SECRET} closed`,
  `ws://user:${SECRET}@perch.acme.com/`,
  `api-key: ${SECRET}`,
  `x-goog-api-key=${SECRET}`,
  `OPENAI_API_KEY=${SECRET}`,
  String.raw`{\"api_key\":\"${SECRET}\"}`,
  `Authorization: Token ${SECRET}`,
  `bearer ${SECRET} was rejected`,
  `BEARER ${SECRET}`,
  `grant_type=refresh_token&refresh_token=${SECRET}&client_secret=${SECRET}`,
  `{"access_token":"${SECRET}","id_token":"${SECRET}"}`,
]

const KEPT = [
  "the task-switching of a risk-assessment-report",
  "Basic authentication is not supported",
  "the bearer token is missing",
  "the access_token has expired, and no api_key is set",
  "The server at wss://hooks.acme.com/socket closed the connection.",
  "API Error: 400 messages.1: `tool_use` ids were found without `tool_result` blocks",
  "The hook at https://hooks.acme.com answered with status 500.",
  "prompt is too long: 210000 tokens > 200000 maximum",
  "model: claude-opus-9 (see https://docs.acme.com/models)",
]

describe("a text from outside", () => {
  it.each(HIDDEN)("%s contains no secret", (text) => expect(redact(text)).not.toContain("s3cr3t"))

  it.each(KEPT)("%s is unchanged", (text) => expect(redact(text, ["short"])).toBe(text))

  it("is processed in one pass, whatever addresses it repeats", () => {
    const spent = cpuTime()
    for (const text of ["http://", "wss://", "api_key-", "bearer a "].map((one) => one.repeat(100_000)))
      expect(redact(text)).toBe(text)
    expect(spent()).toBeLessThan(4_000)
  })

  it("contains no known secret, however it is quoted", () => {
    expect(redact(`key=${SECRET};again:${SECRET}`, [SECRET])).toBe("key=[secret];again:[secret]")
  })
})
