import { expect, test } from "vitest"
import { LatestAnswer } from "../../../src/console/store/latest-answer.ts"

test("an answer that arrives after that of a later request is dropped", async () => {
  const taken: Array<string> = []
  const latest = new LatestAnswer<string>((answer) => taken.push(answer))
  const [first, second, third] = [1, 2, 3].map(() => Promise.withResolvers<string>())
  const all = [first, second, third].map((one) => latest.of(one!.promise))
  second!.resolve("second")
  await all[1]
  first!.resolve("first")
  await all[0]
  third!.resolve("third")
  await all[2]
  expect(taken).toEqual(["second", "third"])
})

test("a failed request does not drop the answers to earlier ones", async () => {
  const taken: Array<string> = []
  const latest = new LatestAnswer<string>((answer) => taken.push(answer))
  const slow = Promise.withResolvers<string>()
  const first = latest.of(slow.promise)
  await expect(latest.of(Promise.reject(new Error("no")))).rejects.toThrow("no")
  slow.resolve("first")
  await first
  expect(taken).toEqual(["first"])
})
