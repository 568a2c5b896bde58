import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { defineSignal } from "../../src/signals/signal.ts"
import { registeredWorkflows } from "../../src/signals/workflows/registered.ts"

describe("a signal without fields", () => {
  it("has an object as its payload", async () => {
    const Next = defineSignal("task:next", {})
    expect(Next({})).toEqual({ name: "task:next", payload: {} })
    expect(await Effect.runPromise(Next.decode({}))).toEqual({})
    for (const payload of ["x", 1, [], true]) expect(Next.is({ name: "task:next", payload })).toBe(false)
  })
})

it("the schemas of a workflow's signals reject the fields that its route rejects", () => {
  const tasks = registeredWorkflows().find(({ name }) => name === "tasks")
  expect(tasks?.signals["task:next"]).toEqual({ type: "object" })
  expect(tasks?.signals["task:completed"]).toMatchObject({
    type: "object",
    required: ["taskId", "outcome", "summary"],
    additionalProperties: false,
  })
})
