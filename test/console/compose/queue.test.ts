// Prompts that are queued behind a turn.
import { signal } from "@preact/signals"
import { expect, test } from "vitest"
import type { LogEvent, Turn } from "../../../src/client/api/session-shapes.ts"
import { promptOfEvent, Queue, type Queued } from "../../../src/console/compose/queue.ts"

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
  const state = { turns: initial, reads: 0, pauses: 0, outage: null as Error | null }
  const waiting = signal<ReadonlyArray<Queued>>([])
  const loaded = signal<ReadonlyArray<string>>([])
  const queue = new Queue({
    waiting,
    isLoaded: (id) => loaded.value.includes(id),
    turns: async () => state.turns,
    eventAt: async (seq) => {
      state.reads += 1
      return event({ prompt: `prompt at ${seq}` })
    },
    cancel: async (id) => {
      state.turns = state.turns.map((one) =>
        one.turn_id === id && one.status === "queued" ? { ...one, status: "cancelled" } : one,
      )
      if (state.outage !== null) throw state.outage
    },
    pauseAfter: async (error) => {
      if (error !== state.outage) throw error
      state.pauses += 1
      if (state.pauses === 2) state.outage = null
    },
    turn: async (id) => {
      if (state.outage !== null && state.turns.some(({ status }) => status === "cancelled")) throw state.outage
      return state.turns.find(({ turn_id }) => turn_id === id) ?? turn(id, "completed", 1)
    },
  })
  /** The stream contains the prompt: it is queued, or its turn has started. */
  const streamed = (id: string, waits: boolean) => {
    loaded.value = [...new Set([...loaded.value, id])]
    const others = waiting.value.filter((one) => one.id !== id)
    waiting.value = waits ? [...others, { id, text: `streamed ${id}` }] : others
    queue.settle()
  }
  /** It was withdrawn, here or elsewhere. */
  const removed = (id: string) => {
    loaded.value = loaded.value.filter((other) => other !== id)
    waiting.value = waiting.value.filter((one) => one.id !== id)
    queue.settle()
  }
  return { queue, state, streamed, removed, ids: () => queue.queued.value.map(({ id }) => id) }
}

test("lists the queued prompts of the conversation, and none that it shows", () => {
  const { queue, streamed, removed, ids } = harness([])
  streamed("a", true)
  streamed("b", true)
  expect(queue.queued.value[0]).toEqual({ id: "a", text: "streamed a" })
  streamed("a", false)
  expect(ids()).toEqual(["b"])
  removed("b")
  expect(ids()).toEqual([])
})

test("an accepted prompt is listed once, before and after its message arrives", () => {
  const { queue, streamed, removed, ids } = harness([])
  queue.accepted({ id: "a", text: "mine" })
  expect(queue.queued.value).toEqual([{ id: "a", text: "mine" }])
  streamed("a", true)
  expect(ids()).toEqual(["a"])
  streamed("b", true)
  queue.accepted({ id: "b", text: "mine too" })
  expect(ids()).toEqual(["a", "b"])
  removed("a")
  streamed("b", false)
  expect(ids()).toEqual([])
})

test("prompts that are older than the loaded messages come first, and their texts are read once", async () => {
  const { queue, state, streamed, ids } = harness([
    turn("c", "queued", 9),
    turn("b", "queued", 5),
    turn("a", "running", 1),
  ])
  streamed("c", true)
  expect(queue.hasOlder).toBe(false)
  await queue.refresh()
  await queue.refresh()
  expect(queue.queued.value).toEqual([
    { id: "b", text: "prompt at 5" },
    { id: "c", text: "streamed c" },
  ])
  expect(queue.hasOlder).toBe(true)
  expect(state.reads).toBe(1)
  streamed("b", false)
  expect(ids()).toEqual(["c"])
})

test("a withdrawn prompt is returned as it was sent, a running one is not", async () => {
  const { queue, state, streamed, removed, ids } = harness([turn("b", "queued", 5), turn("a", "running", 1)])
  streamed("b", true)
  expect(await queue.takeBack("b")).toBe("prompt at 5")
  expect(ids()).toEqual([])
  removed("b")
  expect(ids()).toEqual([])
  state.turns = [turn("d", "running", 8)]
  streamed("d", true)
  expect(await queue.takeBack("d")).toBeNull()
  expect(ids()).toEqual(["d"])
})

test("a prompt whose withdrawal has no response is returned when the server is back", async () => {
  const { queue, state, streamed, removed } = harness([turn("b", "queued", 5), turn("a", "running", 1)])
  streamed("b", true)
  state.outage = new Error("unreachable")
  const taken = queue.takeBack("b")
  removed("b")
  expect(await taken).toBe("prompt at 5")
  expect(state.pauses).toBe(2)
  state.turns = [turn("c", "running", 8)]
  state.outage = new Error("refused")
  await expect(queue.takeBack("c")).rejects.toBe(state.outage)
})

test("the prompt of an event has its blocks", () => {
  const prompt = [{ type: "image" }, { type: "text", text: "see" }]
  expect(promptOfEvent(event({ prompt }))).toEqual(prompt)
  expect(promptOfEvent(event({ result: 1 }))).toBeNull()
  expect(promptOfEvent(undefined)).toBeNull()
})
