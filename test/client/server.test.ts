// Requests to a server that can't answer them yet: when they are sent again, and as what.
import { describe, expect, it } from "vitest"
import { type Answer, errorAnswer, SESSION } from "./fake-perch.ts"
import { perchPerTest } from "./perch-per-test.ts"
import { rawProcess } from "./raw-process.ts"

const A = "11111111-1111-4111-8111-111111111111"

const fake = perchPerTest()
const { sent, start } = fake

describe("a server that can't open the session yet", () => {
  const LATER = { "retry-after": "0" }
  const refusing = (...refusals: ReadonlyArray<Answer>) =>
    start({ answer: () => refusals[fake.server!.requests.length - 1] })
  const keys = () => new Set(fake.server?.requests.map(({ headers }) => headers["idempotency-key"]))

  it.each([
    ["one session is created", [], 1],
    ["a session is copied once", [`--resume=${A}`, "--fork-session"], 1],
    ["a session is continued, without a key", [`--resume=${A}`], 0],
  ])("is asked again: %s", async (_, args, count) => {
    const busy = errorAnswer(429, "rate_limit_error", "too many requests", LATER)
    const { url, socket } = await refusing(busy, errorAnswer(503, "api_error", "a restart", LATER))
    const run = rawProcess(url, { args, retries: 2 })
    const first = await socket(0)
    expect(sent()).toEqual(["POST /v1/sessions", "POST /v1/sessions", "POST /v1/sessions"])
    expect([...keys()].filter((key) => key !== undefined)).toHaveLength(count)
    first.send("=idle")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
  })

  it.each([
    [429, 2],
    [500, 1],
  ])("is asked again for an id that must be new only when it did nothing: %i", async (status, count) => {
    const refusal = errorAnswer(status, "api_error", "not now", LATER)
    const { url } = await refusing(refusal, errorAnswer(409, "conflict_error", "this id is in use"))
    const run = rawProcess(url, { args: [`--session-id=${A}`], retries: 1 })
    expect(await run.exit()).toEqual({ code: 1, signal: null })
    expect(sent()).toHaveLength(count)
  })

  it("deletes a session that is not persistent although the response to its creation was lost", async () => {
    const { url, socket } = await start({
      answer: ({ method }) =>
        method === "DELETE"
          ? undefined
          : { status: 200, json: { id: SESSION, last_seq: 0 }, headers: { "idempotent-replayed": "true" } },
    })
    const run = rawProcess(url, { args: ["--no-session-persistence"] })
    ;(await socket(0)).send("=idle")
    run.end()
    expect(await run.exit()).toEqual({ code: 0, signal: null })
    expect(sent()).toEqual(["POST /v1/sessions", `DELETE /v1/sessions/${SESSION}`])
  })
})
