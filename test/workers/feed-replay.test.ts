// The replay of a long log to a feed that asks for each page, in workerd: its place outlives the object in memory.
import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { expect, it } from "vitest"
import { decodeFeedLine, type FeedLine, MORE } from "../../src/schemas/log/feed-line.ts"
import { created, run } from "./session-stub.ts"

interface EventPage {
  readonly events: ReadonlyArray<{ readonly seq: number; readonly name: string }>
}

it("an object is evicted while a replay waits for its reader, and the replay continues where it was", async () => {
  const { rpc, object } = await created({})
  for (let n = 0; n < 4; n += 1) await run(rpc, `Say ${n}`)
  await runInDurableObject(object, (_: object, { storage }: DurableObjectState) => {
    const longer = "UPDATE events SET json = json_set(json, '$.pad', ?) WHERE name = 'sdk:assistant'"
    storage.sql.exec(longer, "x".repeat(300 * 1024))
  })
  const whole = await (await rpc.fetch("http://session/events?after=0&limit=1000&order=asc")).json<EventPage>()
  const wanted = whole.events.filter(({ name }) => name.startsWith("sdk:")).map(({ seq }) => seq)
  const response = await rpc.fetch("http://session/feed?after=0&paged=1", { headers: { Upgrade: "websocket" } })
  const socket = response.webSocket
  if (!socket) throw new Error("no socket")
  const lines: Array<FeedLine> = []
  socket.accept()
  socket.addEventListener("message", (message) => {
    for (const line of String(message.data).split("\n")) lines.push(decodeFeedLine(line))
  })
  const named = (name: string) => lines.filter((line) => line.name === name).length
  const seqs = () => lines.flatMap(({ seq }) => (seq === null ? [] : [seq]))
  while (named("feed:page") === 0) await scheduler.wait(10)
  const pages = named("feed:page")
  await evictDurableObject(object)
  // What is written meanwhile comes in its place, behind the replay.
  await run(rpc, "Say bye")
  expect([pages, named("feed:page"), named("feed:live")]).toEqual([1, 1, 0])
  expect(seqs().length).toBeLessThan(wanted.length)
  for (let asked = 1; named("feed:live") === 0; asked += 1) {
    socket.send(MORE)
    while (named("feed:page") <= asked && named("feed:live") === 0) await scheduler.wait(10)
  }
  expect(seqs().slice(0, wanted.length)).toEqual(wanted)
  expect(seqs()).toEqual([...new Set(seqs())].toSorted((a, b) => a - b))
  // A live feed has no place any more that an eviction could take it back to.
  await evictDurableObject(object)
  await run(rpc, "Hello again")
  while (lines.filter(({ name }) => name.startsWith("sdk:result")).length < 6) await scheduler.wait(10)
  expect(seqs()).toEqual([...new Set(seqs())].toSorted((a, b) => a - b))
  socket.close()
})
