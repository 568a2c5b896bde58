// When a reply repeats what a tool has sent.
import { expect, it } from "vitest"
import { isDuplicate } from "../../../src/views/reply/duplicates.ts"

it.each([
  ["the same text", "The build is green", "The build is green", true],
  ["in another case, with other white space", " the  BUILD\nis green ", "The build is green", true],
  ["with an emoji", "The build is green 🎉", "The build is green", true],
  ["a part of it", "build is green", "The build is green now", true],
  ["what holds it", "I wrote: The build is green.", "The build is green", true],
  ["nine characters are too few", "The build", "The build is green", false],
  ["ten are enough", "The build ", "x The build ", false],
  ["ten characters", "The builds", "The builds are green", true],
  ["another text", "The build is red now", "The build is green", false],
  ["nothing", "", "The build is green", false],
])("%s", (_rule, text, sent, is) => {
  expect(isDuplicate(text, [sent])).toBe(is)
})
