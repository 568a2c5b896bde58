// Texts that a person reads before a decision: every character is visible, in the order in which it is executed.
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { visibleJson, visibleText } from "../../../../src/console/kit/text/visible-text.ts"

test("direction marks, zero-width characters and control characters are shown by name", () => {
  expect(visibleText("rm -rf \u202E/pmt/\u202C")).toBe("rm -rf ⟨U+202E⟩/pmt/⟨U+202C⟩")
  expect(visibleText("a\u2066b\u2069\u200Bc\uFEFF")).toBe("a⟨U+2066⟩b⟨U+2069⟩⟨U+200B⟩c⟨U+FEFF⟩")
  expect(visibleText("\u{E0061}")).toBe("⟨U+E0061⟩")
  expect(visibleText("a\u001B[31m\rb\u0000")).toBe("a⟨U+001B⟩[31m⟨U+000D⟩b⟨U+0000⟩")
})

test("characters without a shape are shown by name, also joiners and selectors in Latin text", () => {
  expect(visibleText("rm\u2062 a\u3164b\u{E0100}\u180E")).toBe("rm⟨U+2062⟩ a⟨U+3164⟩b⟨U+E0100⟩⟨U+180E⟩")
  expect(visibleText("curl a.\u200Dexample/\uFE0Fx")).toBe("curl a.⟨U+200D⟩example/⟨U+FE0F⟩x")
  expect(visibleText("cafe\u0301\u200D\u200C")).toBe("cafe\u0301⟨U+200D⟩⟨U+200C⟩")
})

test("texts of any script, emoji, tabs and line ends are unchanged", () => {
  for (const text of [
    "one\ttwo\r\nthree\n",
    "line\r",
    "שלום עולם",
    "مرحبا",
    "می‌خواهم",
    "👩‍💻 🐦",
    "naïve",
    "🏳️‍🌈 1️⃣ ❤️",
    "क्‍ष",
    "한국어 漢字",
  ])
    expect(visibleText(text)).toBe(text)
})

test("texts that differ look different", () => {
  const texts = fc
    .array(fc.constantFrom("a", "\u202E", "\u200B", "\u200D", "\u2062", "\u0007", "\n", "🐦"))
    .map((parts) => parts.join(""))
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      expect(visibleText(one) === visibleText(other)).toBe(one === other)
    }),
  )
})

test("JSON with such characters escaped is the same value", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })), (value) => {
      expect(JSON.parse(visibleJson(value))).toEqual(value)
      expect(visibleText(visibleJson(value))).toBe(visibleJson(value))
    }),
  )
})
