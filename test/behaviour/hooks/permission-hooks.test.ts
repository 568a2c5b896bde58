// PermissionRequest hooks: the first decision counts, and the others are interrupted.
import { describe, expect, it } from "vitest"
import { NO_HOOKS } from "../../../src/hooks/outcome.ts"
import { run } from "../../hooks/answers.ts"

describe("a permission request", () => {
  const decides = (decision: Record<string, unknown>) => ({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision },
  })

  it("uses the first decision that arrives and interrupts the other hooks", async () => {
    const { outcome, took, interrupted } = await run("PermissionRequest", [
      { answer: decides({ behavior: "deny", message: "slow" }), after: 2000 },
      { answer: decides({ behavior: "allow", updatedInput: { a: 1 } }), after: 500 },
      { never: true },
      { answer: {} },
    ])
    expect(took).toBe(500)
    expect(interrupted.toSorted()).toEqual(["client:0", "client:2"])
    expect(outcome).toEqual({ ...NO_HOOKS, ran: 4, request: { behavior: "allow", updatedInput: { a: 1 } } })
  })

  it("waits for all hooks if none decides", async () => {
    const { outcome, took } = await run("PermissionRequest", [
      { answer: {}, after: 700 },
      { fails: "threw" },
      { answer: {}, after: 900 },
    ])
    expect(took).toBe(900)
    expect(outcome.request).toBeNull()
    expect(outcome.failures.map((failure) => failure.blocks)).toEqual([false])
  })

  it("is denied when a hook does not answer in time, unless another one decides first", async () => {
    const late = { never: true, entry: { timeoutMs: 1000 } } as const
    const { outcome, took } = await run("PermissionRequest", [late, { answer: {} }])
    expect(took).toBe(1000)
    expect(outcome.request).toEqual({
      behavior: "deny",
      message: "A PermissionRequest hook did not respond in time, so this was refused.",
    })
    const decided = await run("PermissionRequest", [late, { answer: decides({ behavior: "allow" }), after: 500 }])
    expect(decided.outcome.request).toEqual({ behavior: "allow" })
  })

  it("keeps everything that an answer contains", async () => {
    const updatedPermissions = [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
    const allowed = await run("PermissionRequest", [{ answer: decides({ behavior: "allow", updatedPermissions }) }])
    expect(allowed.outcome.request).toEqual({ behavior: "allow", updatedPermissions })
    const denied = await run("PermissionRequest", [
      { answer: decides({ behavior: "deny", message: "no", interrupt: true }) },
    ])
    expect(denied.outcome.request).toEqual({ behavior: "deny", message: "no", interrupt: true })
  })

  it("is denied by a general block, and not allowed by a general approve", async () => {
    const blocked = await run("PermissionRequest", [{ answer: { decision: "block", reason: "no" } }])
    expect(blocked.outcome.request).toEqual({ behavior: "deny", message: "no" })
    const approved = await run("PermissionRequest", [{ answer: { decision: "approve" } }])
    expect(approved.outcome.request).toBeNull()
  })

  it("is denied when the client of the hook has disconnected, unless another hook decides", async () => {
    expect((await run("PermissionRequest", [{ fails: "gone" }])).outcome.request?.behavior).toBe("deny")
    const both = await run("PermissionRequest", [
      { fails: "gone" },
      { answer: decides({ behavior: "allow" }), after: 100 },
    ])
    expect(both.outcome.request).toEqual({ behavior: "allow" })
  })
})
