// Texts that were not sent.
import { expect, test } from "vitest"
import { readDraft, writeDraft } from "../../../src/console/compose/drafts.ts"
import { memoryStorage } from "../../support/console/memory-storage.ts"

test("a draft is kept for its session alone, and an empty one is removed", () => {
  const storage = memoryStorage()
  writeDraft(storage, "a", "half a sen")
  expect(readDraft(storage, "a")).toBe("half a sen")
  expect(readDraft(storage, "b")).toBe("")
  writeDraft(storage, "a", "")
  expect(storage.size).toBe(0)
})

test("a full storage is reported and stops nothing", () => {
  expect(writeDraft(memoryStorage({ isFull: true }), "a", "text")).toBe(false)
})
