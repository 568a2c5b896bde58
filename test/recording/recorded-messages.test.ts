// Head moves of a recorded session, as positions that its replay has as well.
import { expect, it } from "vitest"
import { RecordedMessages } from "../../src/recording/recorded-messages.ts"
import type { Signal } from "../../src/schemas/signal.ts"

const signal = (name: string, payload: Signal["payload"] = {}, source?: Signal["source"], id = name): Signal => ({
  id,
  name,
  payload,
  timestamp: "2026-11-25T23:00:00.000Z",
  ...(source === undefined ? {} : { source }),
})
const prompt = (id: string) => signal("turn:queued", {}, undefined, id)
const of = (turn: string, name: string, agent?: string) =>
  signal(name, {}, { parent: turn, ...(agent === undefined ? {} : { agent }) })

/** Two turns: the first with a call, and an agent's message; the second was queued while the first ran. */
const LOG = [
  signal("session:created"), // 1
  prompt("one"), // 2
  of("one", "sdk:system:init"), // 3
  of("one", "sdk:assistant"), // 4
  prompt("two"), // 5
  of("one", "sdk:assistant", "call"), // 6
  of("one", "sdk:user"), // 7
  of("one", "sdk:assistant"), // 8
  of("one", "sdk:result:success"), // 9
  of("two", "hook:fired"), // 10
  of("two", "sdk:assistant"), // 11
]

/** The repeated form of the last of these signals. */
const moveOf = (...more: ReadonlyArray<Signal>) => {
  const messages = new RecordedMessages()
  return [...LOG, ...more].map((one) => messages.add(one)).at(-1)
}
const moved = (to_seq: number, more: Record<string, Signal["payload"]> = {}) =>
  signal("head:moved", { to_seq, ...more })

it("before a prompt: where its turn starts", () => {
  expect(moveOf(moved(9, { revert: { messageID: "msg_1" } }))).toEqual({
    files: false,
    cut: { prompt: 1, message: null },
  })
  expect(moveOf(moved(2))).toEqual({ files: false, cut: { prompt: 0, message: null } })
})

it("before a message of a turn; agents' messages don't count", () => {
  expect(moveOf(moved(7, { files: { before: "a", after: "b" } }))).toEqual({
    files: true,
    cut: { prompt: 0, message: 2 },
  })
  expect(moveOf(moved(4))).toEqual({ files: false, cut: { prompt: 0, message: 1 } })
})

it("in the conversation of that moment: reverted messages are not part of it", () => {
  const third = [prompt("three"), of("three", "sdk:system:init"), of("three", "sdk:assistant")]
  // The second turn is gone, the third follows the first.
  expect(moveOf(moved(9), ...third, moved(12))).toEqual({ files: false, cut: { prompt: 2, message: null } })
  expect(moveOf(moved(9), ...third, moved(8))).toEqual({ files: false, cut: { prompt: 2, message: null } })
})

it("and back, when a revert is undone", () => {
  expect(moveOf(moved(9), moved(11, { restored: true }))).toEqual({ restored: true, files: false })
  expect(moveOf(signal("sdk:result:success"))).toBeNull()
})
