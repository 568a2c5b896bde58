// How a reader sees a streaming text grow: the same steps for any split of the stream.
import { expect, it } from "vitest"
import { Progress } from "../../../src/views/reply/progress.ts"

/** The steps of a reply whose text arrives in chunks of `length` UTF-16 units. */
const steps = (text: string, length: number) => {
  const progress = new Progress()
  const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_, n) =>
    text.slice(n * length, (n + 1) * length),
  )
  return [...pieces.flatMap((piece) => progress.push(piece)), ...progress.end()]
}

it.each([
  `${"x".repeat(47)}😀 and more`,
  `${"x".repeat(48)}😀😀😀`,
  `${"word ".repeat(30)}😀${"y".repeat(80)}👩‍👩‍👧 end`,
  "😀".repeat(200),
])("no step of %j ends inside a character, and all cuts give the same", (text) => {
  const whole = steps(text, text.length)
  expect(whole.length).toBeGreaterThan(1)
  for (const step of whole) expect(step.text.isWellFormed() && step.delta.isWellFormed()).toBe(true)
  for (const length of [1, 2, 3, 5, 7]) expect(steps(text, length)).toEqual(whole)
})
