// Prompts that wait behind a turn.
import { expect, test } from "vitest"
import type { LogEvent, Turn } from "../../../src/client/api/session-shapes.ts"
import { promptOfEvent, Queue } from "../../../src/console/compose/queue.ts"

const turn = (id: string, status: Turn["status"], seq: number): Turn => ({
  type: "turn",
  session_id: "s",
  turn_id: id,
  status,
  joined_turn_id: null,
  pending: [],
  result: null,
  cost_usd: null,
  queued_at: "",
  started_at: null,
  ended_at: null,
  first_seq: seq,
  last_seq: null,
})

const event = (payload: unknown): LogEvent => ({
  seq: 1,
  name: "turn:queued",
  uuid: "u",
  turn: "t",
  parent_tool_use_id: null,
  at: 0,
  payload,
})

const harness = (initial: ReadonlyArray<Turn>) => {
  const state = { turns: initial, reads: 0 }
  const queue = new Queue({
    turns: async () => state.turns,
    eventAt: async (seq) => {
      state.reads += 1
      return event({ prompt: `prompt at ${seq}` })
    },
    cancel: async (id) => {
      state.turns = state.turns.map((one) =>
        one.turn_id === id && one.status === "queued" ? { ...one, status: "cancelled" } : one,
      )
    },
    status: async (id) => state.turns.find(({ turn_id }) => turn_id === id)?.status ?? "completed",
  })
  return { queue, state }
}

test("lists what waits, the next one first, and reads the texts that it does not know once", async () => {
  const { queue, state } = harness([turn("c", "queued", 9), turn("b", "queued", 5), turn("a", "running", 1)])
  queue.know("c", "mine")
  await queue.refresh()
  await queue.refresh()
  expect(queue.queued.value).toEqual([
    { id: "b", text: "prompt at 5" },
    { id: "c", text: "mine" },
  ])
  expect(state.reads).toBe(1)
})

test("a prompt that is taken back gives its text, one that runs does not", async () => {
  const { queue, state } = harness([turn("b", "queued", 5)])
  await queue.refresh()
  expect(await queue.takeBack("b")).toBe("prompt at 5")
  expect(queue.queued.value).toEqual([])
  state.turns = [turn("d", "running", 8)]
  expect(await queue.takeBack("d")).toBeNull()
})

test("the text of a prompt is that of its blocks", () => {
  expect(promptOfEvent(event({ prompt: [{ type: "image" }, { type: "text", text: "see" }] }))).toBe("see")
  expect(promptOfEvent(event({ result: 1 }))).toBeNull()
  expect(promptOfEvent(undefined)).toBeNull()
})
