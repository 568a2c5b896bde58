import { expect, it } from "vitest"
import { prefersAsync } from "../../src/http/prefer.ts"

it.each([
  ["respond-async", true],
  ["Respond-Async", true],
  ["respond-async, wait=10", true],
  ["wait=10,respond-async", true],
  ["respond-async; foo=bar", true],
  ['respond-async=""', true],
  ["respond-async=false", false],
  ["respond-async = 0", false],
  ['respond-async="no"', false],
  ["x-respond-async", false],
  ["respond-async-later", false],
  ['note="a, respond-async"', false],
  ["wait=10; respond-async", false],
  ["", false],
])("Prefer: %s prefers a response at once: %s", (prefer, isAsync) => {
  expect(prefersAsync(new Request("http://localhost/", { headers: { prefer } }))).toBe(isAsync)
})
