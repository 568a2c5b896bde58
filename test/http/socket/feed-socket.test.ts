import { describe, expect, it } from "vitest"
import { submissionHeader } from "../../../src/http/socket/feed-socket.ts"

const submission = (prompt: string) => ({
  turn: "0199a000-0000-7000-8000-000000000002",
  prompt,
  onBusy: "queue" as const,
  options: {},
  fingerprint: "f",
  actor: { key: "root", roles: [], bypass: true, files: true, generation: 0, expires: null, checked: 0 },
})

describe("the header of a submission", () => {
  it("can contain any text as printable ASCII", () => {
    const args = submission('Grüße ☃ 😀\n\u0000\u007f\ud800 "x"')
    const header = submissionHeader(args) ?? ""
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    expect(JSON.parse(header)).toEqual(args)
  })

  it("can't contain a long prompt: that is submitted by a separate call", () => {
    expect(submissionHeader(submission("x".repeat(10_000)))).toBeNull()
  })
})
