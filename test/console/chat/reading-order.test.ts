// The position of prompts that were queued.
import { expect, test } from "vitest"
import { inReadingOrder } from "../../../src/console/chat/reading-order.ts"

/**
 * `a1` answers the prompt `p1`, `b2` too, and so on; `c1` does, cut off. `n` is a note, `i` marks an interrupt. `j1` is a prompt
 * that joined another turn.
 */
const read = (ids: string, newest: string | null = null): string =>
  inReadingOrder({
    ids: ids.split(" "),
    parentOf: (id) => (/^[abc]/.test(id) ? `p${id.slice(1)}` : undefined),
    isInterruptMark: (id) => id.startsWith("i"),
    hasTurn: (id) => id.startsWith("p"),
    isUnfinished: (id) => id.startsWith("c"),
    newest,
  }).join(" ")

test.each([
  ["without prompts that waited nothing moves", "p1 a1 n b1 p2 a2", "p1 a1 n b1 p2 a2"],
  ["a prompt is read where its turn begins", "p1 a1 p2 b1 a2", "p1 a1 b1 p2 a2"],
  ["prompts that waited together keep their order", "p1 p2 p3 a1 a2 a3", "p1 a1 p2 a2 p3 a3"],
  ["a note of its own turn stays behind it", "p1 p2 a1 n a2", "p1 a1 p2 n a2"],
  ["a prompt that joined a turn stays where it was sent", "p1 a1 p2 b1", "p1 a1 p2 b1"],
  [
    "the mark of an interrupt stays behind the answer that was cut off",
    "p1 p2 p3 c1 i n a2 a3",
    "p1 c1 i p2 n a2 p3 a3",
  ],
  ["answers whose prompt is not loaded stay", "a1 p2 b1 a2", "a1 b1 p2 a2"],
  ["the mark of a turn without an answer stays behind its prompt", "p1 p2 i a2", "p1 i p2 a2"],
  ["so do the marks of several such turns", "p1 p2 p3 i1 i2 a3", "p1 i1 p2 i2 p3 a3"],
  ["a prompt that joined a turn has no mark of its own", "p1 j2 p3 a1 p4 i a4", "p1 j2 a1 p3 i p4 a4"],
  ["a mark whose prompt is not loaded belongs to an earlier turn", "p2 i a2", "i p2 a2"],
  ["nothing is nothing", "", ""],
])("%s", (_, sent, expected) => expect(read(sent)).toBe(expected))

test("a prompt whose turn has just started comes last, before and after its first answer", () => {
  expect(read("p1 a1 p2 b1", "p2")).toBe("p1 a1 b1 p2")
  expect(read("p1 a1 p2 b1 p3", "p2")).toBe("p1 a1 b1 p2 p3")
  expect(read("p1 a1 p2 b1 p3 a2", "p2")).toBe("p1 a1 b1 p2 p3 a2")
  expect(read("p1 p2 c1 i", "p2")).toBe("p1 c1 i p2")
  expect(read("p1 p2 a1 i", "p2")).toBe("p1 a1 p2 i")
  expect(read("p1 p2 c1 i1 i2", "p2")).toBe("p1 c1 i1 p2 i2")
  expect(read("p1 p2 i", "p2")).toBe("p1 i p2")
})
