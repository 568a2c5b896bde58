// The direction of the prompt's field.
import { expect, it } from "vitest"
import { textDirection } from "../../../../src/console/compose/sending/text-direction.ts"

it("is left to the browser for a short text, and that of the first letter for a long one", () => {
  const more = " ".repeat(20_000)
  expect(textDirection("Hello")).toBe("auto")
  expect(textDirection(`1. Hello שלום${more}`)).toBe("ltr")
  expect(textDirection(`1. שלום Hello${more}`)).toBe("rtl")
  expect(textDirection(`مرحبا${more}`)).toBe("rtl")
  expect(textDirection(more + more)).toBe("ltr")
})
