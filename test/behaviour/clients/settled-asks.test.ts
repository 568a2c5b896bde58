// A client of the control protocol whose connection was broken while an ask of its session was settled.
import { expect, it } from "vitest"
import { call } from "../../support/session/scripts.ts"
import { DONE, loop, until } from "../../support/session/loop.ts"

const { start } = loop()

const WRITE = call("Write", { file_path: "/workspace/n.txt", content: "x" })

it("an ask that was settled while a client was away is withdrawn when its connection is restored", async () => {
  const { client, harness, idle, log } = await start([{ content: [WRITE] }, DONE], {}, {})
  await until(() => client.asked("can_use_tool").length === 1)
  const { id } = client.asked("can_use_tool")[0]!
  const seen = log.lastSeq
  const other = harness.connect()
  await other.initialize()
  harness.detach(client, false)
  other.answer(id, { behavior: "allow" })
  await idle()
  harness.detach(other, false)
  harness.attach(client, seen)
  harness.attach(other, seen)
  const late = harness.connect()
  harness.detach(late, true)
  harness.attach(late, 0)
  await until(() => client.cancelled.length > 0)
  expect(client.cancelled).toEqual([id])
  // The one that has answered, and one that never had the ask.
  expect([other.cancelled, late.cancelled]).toEqual([[], []])
  expect(client.asked("can_use_tool")).toHaveLength(1)
})
