// Unsent texts.
import { expect, test } from "vitest"
import { readDraft, typedAfter, writeDraft } from "../../../src/console/compose/drafts.ts"
import { memoryStorage } from "../../support/console/memory-storage.ts"

test("a draft is stored only for its session, and an empty one is removed", () => {
  const storage = memoryStorage()
  writeDraft(storage, "a", "half a sen")
  expect(readDraft(storage, "a")).toBe("half a sen")
  expect(readDraft(storage, "b")).toBe("")
  writeDraft(storage, "a", "")
  expect(storage.size).toBe(0)
})

test("a full storage is reported and blocks nothing", () => {
  expect(writeDraft(memoryStorage({ isFull: true }), "a", "text")).toBe(false)
})

test("text that was typed after sending remains, and a text that was changed remains completely", () => {
  expect(typedAfter("one", "one")).toBe("")
  expect(typedAfter("one\n", "one")).toBe("")
  expect(typedAfter("one", "one\ntwo ")).toBe("two ")
  expect(typedAfter("one", "only")).toBe("only")
  expect(typedAfter("one", "")).toBe("")
  expect(typedAfter("", "two")).toBe("two")
})
