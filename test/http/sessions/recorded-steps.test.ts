// Changes of a recorded session's options, as its replay reads them.
import { Effect, Result } from "effect"
import { expect, it } from "vitest"
import { readSteps } from "../../../src/http/sessions/recorded-steps.ts"
import type { ReplayStep } from "../../../src/schemas/rpc/recording-rpc.ts"

const created = { name: "session:created", payload: { cwd: "/workspace" }, results: 0 }

const readChange = (payload: ReplayStep["payload"]) =>
  Effect.runSync(Effect.result(readSteps([created, { name: "session:changed", payload, results: 0 }])))

it("a change that removes options is read with their names", () => {
  const read = readChange({ options: { model: null, thinking: null, effort: "low" }, actor: { key: "k" } })
  expect(Result.getOrThrow(read).later).toMatchObject([
    { kind: "changed", changed: { options: { effort: "low" } }, removed: ["model", "thinking"] },
  ])
})

it("a value that an option can't have is refused", () => {
  expect(Result.isFailure(readChange({ options: { maxTurns: "two", model: null } }))).toBe(true)
})
