// The form of a new session, and the request that it produces.
import { expect, test } from "vitest"
import {
  EMPTY_FORM,
  readForm,
  sessionOf,
  titleFrom,
  writeForm,
} from "../../../../src/console/compose/new/session-form.ts"
import { memoryStorage } from "../../../support/console/memory-storage.ts"

test("empty fields are left to the server", () => {
  expect(sessionOf(EMPTY_FORM, "id")).toEqual({ value: { id: "id", on_exists: "attach", options: {} } })
})

test("fields become options under the SDK's names", () => {
  const form = {
    ...EMPTY_FORM,
    title: " Login ",
    cwd: "/workspace/app",
    model: "claude-sonnet-4-5",
    permissionMode: "bypassPermissions",
    agent: "reviewer",
    agents: '{"helper": {"description": "d", "prompt": "p"}}',
    maxBudgetUsd: "0.5",
    maxTurns: "20",
  }
  expect(sessionOf(form, "id")).toEqual({
    value: {
      id: "id",
      on_exists: "attach",
      title: "Login",
      cwd: "/workspace/app",
      options: {
        model: "claude-sonnet-4-5",
        permissionMode: "bypassPermissions",
        allowDangerouslySkipPermissions: true,
        agent: "reviewer",
        agents: { helper: { description: "d", prompt: "p" } },
        maxBudgetUsd: 0.5,
        maxTurns: 20,
      },
    },
  })
})

test("an invalid field is named", () => {
  expect(sessionOf({ ...EMPTY_FORM, agents: "[" }, "id")).toMatchObject({ field: "agents" })
  expect(sessionOf({ ...EMPTY_FORM, agents: "[]" }, "id")).toMatchObject({ field: "agents" })
  expect(sessionOf({ ...EMPTY_FORM, maxBudgetUsd: "-1" }, "id")).toMatchObject({ field: "maxBudgetUsd" })
  expect(sessionOf({ ...EMPTY_FORM, maxTurns: "1.5" }, "id")).toMatchObject({ field: "maxTurns" })
  expect(sessionOf({ ...EMPTY_FORM, cwd: "app" }, "id")).toMatchObject({ field: "cwd" })
})

test("the form survives a reload, and unknown fields are dropped", () => {
  const storage = memoryStorage()
  writeForm(storage, { ...EMPTY_FORM, prompt: "half" })
  expect(readForm(storage)).toEqual({ ...EMPTY_FORM, prompt: "half" })
  storage.setItem("perch.draft.new", '{"prompt":1,"colour":"red","title":"t"}')
  expect(readForm(storage)).toEqual({ ...EMPTY_FORM, title: "t" })
  storage.setItem("perch.draft.new", "{")
  expect(readForm(storage)).toEqual(EMPTY_FORM)
  writeForm(storage, null)
  expect(storage.size).toBe(0)
})

test("a title is the prompt's first line, shortened", () => {
  expect(titleFrom("\nFix it\nnow")).toBe("Fix it")
  expect(titleFrom("x".repeat(100))).toHaveLength(60)
  expect(titleFrom(`${"x".repeat(58)}🐦${"x".repeat(58)}`)).toBe(`${"x".repeat(58)}…`)
})
