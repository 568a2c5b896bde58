// Truncated texts: no character is split, and sizes are in bytes.
import { expect, test } from "vitest"
import { cutText, shorten } from "../../../../src/console/kit/text/cut-text.ts"

test("a longer text ends with an ellipsis", () => {
  expect(shorten("birds", 5)).toBe("birds")
  expect(shorten("the birds", 5)).toBe("the …")
})

test("a character outside the basic plane is dropped if it would be split", () => {
  const birds = "🐦".repeat(10)
  expect(shorten(birds, 4)).toBe("🐦…")
  expect(cutText(birds, { maxLength: 5 }).text).toBe("🐦🐦")
  expect(cutText(birds, { maxLength: 5 }, true).text).toBe("🐦🐦")
})

test("the size of a truncated text is in bytes", () => {
  expect(cutText("ü".repeat(5000))).toMatchObject({ isWhole: false, size: 10_000 })
})
