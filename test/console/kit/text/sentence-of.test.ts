// Messages of errors as sentences.
import { expect, test } from "vitest"
import { sentenceOf } from "../../../../src/console/kit/text/sentence-of.ts"

test.each([
  ["there is no such session", "There is no such session."],
  ["a recording with this id exists. Choose another id", "A recording with this id exists. Choose another id."],
  ["The API key is not valid.", "The API key is not valid."],
  ["model must be a string", "model must be a string."],
  ["options.maxTurns must be above 0. Got -1", "options.maxTurns must be above 0. Got -1."],
  ["", ""],
])("%j is shown as %j", (message, expected) => expect(sentenceOf(message)).toBe(expected))
