import { expect, it } from "vitest"
import { modelOf, requestModelOf } from "../../src/agent/step-request.ts"
import { policyOf } from "../../src/permissions/policy.ts"
import type { PermissionMode } from "../../src/schemas/sdk/options/permissions.ts"

const inMode = (permissionMode: PermissionMode) => () => policyOf({ permissionMode }, [])

it("opusplan is Opus in plan mode, and Sonnet otherwise", () => {
  const options = { model: "OpusPlan" }
  expect(modelOf(options)).toBe("claude-sonnet-5-5")
  expect(requestModelOf({ options, policy: inMode("plan") })).toBe("claude-opus-5-5")
  expect(requestModelOf({ options, policy: inMode("default") })).toBe("claude-sonnet-5-5")
})

it("the alias haiku is Sonnet in plan mode", () => {
  const options = { model: "haiku" }
  expect(requestModelOf({ options, policy: inMode("plan") })).toBe("claude-sonnet-5-5")
  expect(requestModelOf({ options, policy: inMode("default") })).toBe("claude-haiku-5-5")
})

it("any other model is the same in plan mode", () => {
  for (const model of ["sonnet", "claude-haiku-5-5", "claude-sonnet-4-5", "own-model"])
    expect(requestModelOf({ options: { model }, policy: inMode("plan") })).toBe(modelOf({ model }))
})
