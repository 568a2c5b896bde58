import { describe, expect, it } from "vitest"
import { UnsentEvents } from "../../../src/session/delivery/unsent-events.ts"
import type { StoredEvent } from "../../../src/session/storage/log.ts"

const written = (seq: number, characters = 10): StoredEvent =>
  ({
    event: { seq, name: "head:moved", uuid: `u${seq}`, turn: null, parent_tool_use_id: null, at: seq, payload: {} },
    json: "x".repeat(characters),
  }) as unknown as StoredEvent // the payload is not read here

const seqs = (events: UnsentEvents, after: number, limit = 100) =>
  events.read(after, limit)?.map(({ seq }) => seq) ?? null

describe("the undelivered events in memory", () => {
  it("can be read page by page from any position in memory", () => {
    const events = new UnsentEvents()
    events.add([written(5), written(6)])
    events.add([written(7)])
    expect(seqs(events, 4)).toEqual([5, 6, 7])
    expect(seqs(events, 5, 1)).toEqual([6])
    expect(seqs(events, 3)).toBeNull()
    expect(seqs(events, 7)).toBeNull()
  })

  it("are dropped when they are delivered", () => {
    const events = new UnsentEvents()
    events.add([written(1), written(2), written(3)])
    events.dropThrough(2)
    expect(seqs(events, 1)).toBeNull()
    expect(seqs(events, 2)).toEqual([3])
    events.dropThrough(9)
    expect(seqs(events, 2)).toBeNull()
  })

  it("start again after a gap", () => {
    const events = new UnsentEvents()
    events.add([written(1)])
    events.add([written(4)])
    expect(seqs(events, 0)).toBeNull()
    expect(seqs(events, 3)).toEqual([4])
  })

  it("are dropped when they are too large, and start again with smaller ones", () => {
    const events = new UnsentEvents()
    events.add([written(1, 200_000), written(2, 200_000)])
    expect(seqs(events, 0)).toBeNull()
    events.add([written(3)])
    expect(seqs(events, 2)).toEqual([3])
  })
})
