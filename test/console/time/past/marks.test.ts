import { describe, expect, test } from "vitest"
import {
  markAt,
  markOf,
  type RawEvent,
  stepOfKey,
  stepped,
  strideOf,
  thinned,
} from "../../../../src/console/time/past/marks.ts"

const queued = (seq: number, prompt: unknown): RawEvent => ({
  seq,
  name: "turn:queued",
  uuid: `event-${seq}`,
  turn: `turn-${seq}`,
  parent_tool_use_id: null,
  at: 0,
  payload: { prompt, options: {} },
})

const marks = [2, 10, 20].map((seq) => markOf(queued(seq, `prompt ${seq}`)))

describe("marks of the scrubber", () => {
  test("a mark has the start of a text prompt, on one line", () => {
    expect(markOf(queued(3, "one\n  two")).text).toBe("one two")
    expect(markOf(queued(3, "x".repeat(100))).text).toHaveLength(80)
  })

  test("a mark shows characters that reverse the direction of a prompt by their code points", () => {
    expect(markOf(queued(3, "keep \u202Etxt")).text).toBe("keep ⟨U+202E⟩txt")
  })

  test("a mark has the first text of a prompt of blocks", () => {
    expect(markOf(queued(3, [{ type: "image" }, null, { type: "text", text: "see" }])).text).toBe("see")
    expect(markOf(queued(3, [{ type: "image" }])).text).toBe("")
    expect(markOf({ ...queued(3, ""), payload: null }).text).toBe("")
  })

  test("a position belongs to the last turn that had started by then", () => {
    expect(markAt(marks, 1)).toBeUndefined()
    expect(markAt(marks, 10)?.turn).toBe("turn-10")
    expect(markAt(marks, 19)?.turn).toBe("turn-10")
  })

  test("steps by event and by turn stay within the log, whose end is now", () => {
    expect(stepped("event-back", null, 25, marks)).toBe(24)
    expect(stepped("event-back", 1, 25, marks)).toBe(1)
    expect(stepped("event-on", 24, 25, marks)).toBeNull()
    expect(stepped("event-on", null, 25, marks)).toBeNull()
    expect(stepped("turn-back", 20, 25, marks)).toBe(10)
    expect(stepped("turn-back", 2, 25, marks)).toBe(1)
    expect(stepped("turn-on", 2, 25, marks)).toBe(10)
    expect(stepped("turn-on", 20, 25, marks)).toBeNull()
    expect(stepped("first", 20, 25, marks)).toBe(1)
    expect(stepped("last", 1, 25, marks)).toBeNull()
    expect(stepped("event-back", 99, 25, marks)).toBe(24)
    expect(stepped("event-on", 99, 25, marks)).toBeNull()
  })

  test("arrows step by event, with Shift and with the page keys by turn", () => {
    expect(stepOfKey("ArrowLeft", false)).toBe("event-back")
    expect(stepOfKey("ArrowRight", true)).toBe("turn-on")
    expect(stepOfKey("PageDown", false)).toBe("turn-back")
    expect(stepOfKey("a", false)).toBeUndefined()
  })

  test("a log of any length plays in about the same number of frames", () => {
    expect(strideOf(10)).toBe(1)
    expect(strideOf(6000)).toBe(40)
  })

  test("marks are thinned to what a track can show", () => {
    const many = Array.from({ length: 1000 }, (_, index) => markOf(queued(index + 1, "")))
    expect(thinned(many, 200)).toHaveLength(200)
    expect(thinned(marks, 200)).toBe(marks)
  })
})
