// Prompts that wait for the server: none is lost, and none is sent under two ids.
import { expect, test } from "vitest"
import { ConnectionError, InvalidRequestError } from "../../../src/client/api/perch-error.ts"
import { keepFor, Outbox, type Outgoing } from "../../../src/console/compose/outbox.ts"
import { memoryStorage } from "../../support/console/memory-storage.ts"

const offline = new ConnectionError({ type: "connection_error", status: 0, message: "offline" })
const refused = new InvalidRequestError({ type: "invalid_request_error", status: 400, message: "too long" })

const harness = (storage = memoryStorage()) => {
  const sent: Array<{ readonly uuid: string; readonly prompt: unknown; readonly on_busy?: string }> = []
  const outcomes: Array<Error | null> = []
  const accepted: Array<string> = []
  const timers: Array<() => void> = []
  const open = () =>
    new Outbox({
      session: "s",
      storage,
      messageOf: (error) => (error instanceof Error ? error.message : String(error)),
      newUuid: () => `id-${sent.length}-${timers.length}-${Math.random()}`,
      later: (_, then) => {
        timers.push(then)
        return () => timers.splice(timers.indexOf(then), 1)
      },
      post: async (query) => {
        sent.push(query)
        const outcome = outcomes.shift() ?? null
        if (outcome !== null) throw outcome
      },
      onAccepted: ({ uuid }) => accepted.push(uuid),
    })
  return { sent, outcomes, accepted, timers, storage, open }
}

const settled = async (box: Outbox) => {
  await expect.poll(() => box.entries.value.every(({ state }) => state !== "sending")).toBe(true)
}

test("an accepted prompt leaves the outbox and the storage", async () => {
  const { open, sent, accepted, storage } = harness()
  const box = open()
  box.add("hello")
  await settled(box)
  expect(box.entries.value).toEqual([])
  expect(storage.size).toBe(0)
  expect(sent).toMatchObject([{ prompt: "hello", on_busy: "queue" }])
  expect(accepted).toEqual([sent[0]?.uuid])
})

test("a prompt that failed without a network is sent again under the same uuid", async () => {
  const { open, sent, outcomes, timers } = harness()
  outcomes.push(offline)
  const box = open()
  box.add("hello")
  await settled(box)
  expect(box.entries.value).toMatchObject([{ state: "waiting", error: "offline" }])
  timers.shift()?.()
  await expect.poll(() => box.entries.value).toEqual([])
  expect(sent).toHaveLength(2)
  expect(sent[1]).toEqual(sent[0])
})

test("a reload while a prompt is being sent sends it again under the same uuid", async () => {
  const { open, sent, storage } = harness()
  const entry: Outgoing = { uuid: "u", prompt: "hello", on_busy: "queue", state: "sending", error: null }
  keepFor(storage, "s", [entry])
  const box = open()
  expect(box.entries.value).toMatchObject([{ uuid: "u", state: "waiting" }])
  box.resume()
  await expect.poll(() => box.entries.value).toEqual([])
  expect(sent).toEqual([{ uuid: "u", prompt: "hello", on_busy: "queue" }])
})

test("prompts are sent in order, and a later one waits while the network is down", async () => {
  const { open, sent, outcomes } = harness()
  outcomes.push(offline)
  const box = open()
  box.add("first")
  box.add("second")
  await settled(box)
  expect(sent.map(({ prompt }) => prompt)).toEqual(["first"])
  box.resume()
  await expect.poll(() => box.entries.value).toEqual([])
  expect(sent.map(({ prompt }) => prompt)).toEqual(["first", "first", "second"])
})

test("a refused prompt stays with its reason, can be removed, and blocks no other", async () => {
  const { open, outcomes, accepted } = harness()
  outcomes.push(refused)
  const box = open()
  box.add("bad")
  box.add("good")
  await expect.poll(() => accepted).toHaveLength(1)
  expect(box.entries.value).toMatchObject([{ prompt: "bad", state: "refused", error: "too long" }])
  expect(box.take(box.entries.value[0]?.uuid ?? "")).toMatchObject({ prompt: "bad" })
  expect(box.entries.value).toEqual([])
})

test("a full storage loses nothing while the page is open", async () => {
  const { open, outcomes } = harness(memoryStorage({ isFull: true }))
  outcomes.push(offline)
  const box = open()
  box.add("hello")
  await settled(box)
  expect(box.isKept.value).toBe(false)
  box.resume()
  await expect.poll(() => box.entries.value).toEqual([])
})

test("data of another version of the page is ignored", () => {
  const { open, storage } = harness()
  storage.setItem("perch.outbox.s", "{not json")
  expect(open().entries.value).toEqual([])
  storage.setItem("perch.outbox.s", '[{"text":"old"}]')
  expect(open().entries.value).toEqual([])
})
