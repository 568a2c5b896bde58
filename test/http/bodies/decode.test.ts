// Bodies with very many errors: the answer names the first ones, and the others cost next to nothing.
import { Effect, Exit, Cause } from "effect"
import { expect, it } from "vitest"
import { decodeBody } from "../../../src/http/bodies/decode.ts"
import { ApiError } from "../../../src/http/errors/errors.ts"
import { CreateSession } from "../../../src/schemas/api/api.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const many = <A>(value: A) => Object.fromEntries(Array.from({ length: 45_000 }, (_, index) => [`name${index}`, value]))

const issuesOf = (body: unknown) => {
  const exit = Effect.runSyncExit(decodeBody(CreateSession, body))
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  if (!(error instanceof ApiError)) throw new Error("the body was not refused")
  return error.issues ?? []
}

it.each([
  ["unknown fields", many(1), "name0", "name99"],
  ["unknown options", { options: many(1) }, "options.name0", "options.name99"],
  [
    "servers that are processes",
    { options: { mcpServers: many({ command: "x" }) } },
    "options.mcpServers.name0",
    "options.mcpServers.name99",
  ],
])("of %s the first hundred are named", (_, body, first, last) => {
  const spent = cpuTime()
  const issues = issuesOf(body)
  expect(spent()).toBeLessThan(6_000)
  expect([issues.length, issues[0]?.field, issues[99]?.field]).toEqual([100, first, last])
})

it("each error has one issue: options with their reason, and missing fields before unknown ones", () => {
  const issues = issuesOf({ other: 1, options: { pty: true, maxTurns: "x", agents: { a: { prompt: "p" } } } })
  expect(issues.map(({ field }) => field)).toEqual([
    "options.pty",
    "options.agents.a.description",
    "other",
    "options.maxTurns",
  ])
})

it("an option that the request has is not refused because of another one", () => {
  const resume = "0192f0c1-2345-7abc-8def-0123456789ab"
  const fieldsOf = (options: object) => issuesOf({ options }).map(({ field }) => field)
  expect(fieldsOf({ resume, maxTurns: 0 })).toEqual(["options.maxTurns"])
  expect(fieldsOf({ resume, forkSession: "x", continues: true })).toEqual(["options.continues", "options.forkSession"])
})
