// The text of the metrics page: whatever a label contains, it is one line of text, and two labels never become the same.
import fc from "fast-check"
import { expect, it } from "vitest"
import { exposition } from "../../src/observe/exposition.ts"

const lineOf = (model: string): string =>
  exposition([{ name: "perch_test", help: "A test.", type: "gauge", samples: [{ labels: { model }, value: 1 }] }])
    .split("\n")
    .find((line) => line.startsWith("perch_test"))!

it.each([
  ["plain", 'perch_test{model="plain"} 1'],
  ['a"b\\c\nd', 'perch_test{model="a\\"b\\\\c\\nd"} 1'],
  ["nul\0tab\tcr\rdel\u007f\u0085", 'perch_test{model="nul␛00tab␛09cr␛0ddel␛7f␛85"} 1'],
  ["␛00", 'perch_test{model="␛␛00"} 1'],
  ["half \ud800", 'perch_test{model="half \ufffd"} 1'],
  ["名前 🦜", 'perch_test{model="名前 🦜"} 1'],
])("the label %j", (model, line) => {
  expect(lineOf(model)).toBe(line)
})

it("two names are two labels, each without a control character", () => {
  const name = fc.string({ unit: fc.constantFrom("\0", "\t", "␛", "0", "9", "\n", "n", "\\", '"', "a"), maxLength: 6 })
  fc.assert(
    fc.property(name, name, (one, other) => {
      fc.pre(one !== other)
      expect(lineOf(one)).not.toBe(lineOf(other))
      // oxlint-disable-next-line no-control-regex
      expect(lineOf(one)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    }),
  )
})
