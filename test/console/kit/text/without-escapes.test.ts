// Output of programs that colour it.
import { expect, test } from "vitest"
import { withoutEscapes } from "../../../../src/console/kit/text/without-escapes.ts"

const ESC = "\u001B"

test("colours, movements, titles and links of a terminal leave their texts", () => {
  expect(withoutEscapes(`${ESC}[1;31mfailed${ESC}[0m: 2 of ${ESC}[38;5;10m3${ESC}[m`)).toBe("failed: 2 of 3")
  expect(withoutEscapes(`${ESC}[2K${ESC}[1Gdone${ESC}[?25h`)).toBe("done")
  expect(withoutEscapes(`${ESC}]0;title\u0007text`)).toBe("text")
  expect(withoutEscapes(`${ESC}]8;;https://a.example${ESC}\\link${ESC}]8;;${ESC}\\`)).toBe("link")
  expect(withoutEscapes(`${ESC}(B${ESC}7plain${ESC}8${ESC}M`)).toBe("plain")
})

test("text without escapes stays as it is, also what looks like the rest of one", () => {
  const text = "a[0] = [31m; \u00E9\r\n\ttab"
  expect(withoutEscapes(text)).toBe(text)
  expect(withoutEscapes(`${ESC}\u00E9`)).toBe(`${ESC}\u00E9`)
})

test("a sequence that is cut off at the end is left out", () => {
  for (const cut of [ESC, `${ESC}[`, `${ESC}[1;3`, `${ESC}]0;tit`]) expect(withoutEscapes(`text${cut}`)).toBe("text")
})

test("a long output of sequences that are none is read in one pass", () => {
  expect(withoutEscapes(`${ESC}[`.repeat(100_000))).toHaveLength(2 * 99_999)
  expect(withoutEscapes(`${ESC}]a`.repeat(100_000))).toHaveLength(3 * 99_999)
})
