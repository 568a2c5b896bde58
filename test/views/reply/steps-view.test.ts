// A stream of a run: frames ahead of the log, repeated requests, and readers that join.
import { describe, expect, it } from "vitest"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import type { ViewEvent } from "../../../src/views/live/live-view.ts"
import type { ReplyQuery } from "../../../src/views/reply/reply-query.ts"
import { replyView } from "../../../src/views/reply/reply-view.ts"
import { blocks, ended, framesOf, looks, reply, startOf, started } from "../../support/views/reply-log.ts"
import { answerStream, letters, streamedLog, whole } from "../../support/views/streamed-log.ts"

describe("a stream", () => {
  const live = (events: Iterable<ViewEvent>, options: ReplyQuery = {}) => framesOf(replyView(startOf(options)), events)

  it("shows an answer before it is stored, and nothing of it twice", () => {
    const log = looks()
    const options = { reasoningLevel: "stream", minChars: 5, maxChars: 60 } as const
    for (const cut of [whole, letters]) expect(live(streamedLog(log.events, cut), options)).toEqual(reply(log, options))
  })

  it("a broken answer that is repeated is not sent twice where its text is the same", () => {
    const log = started()
    const [queued, init] = log.events.map(viewEventOf)
    const text = "The first paragraph of it.\n\nThe second paragraph of it."
    const options = { minChars: 5, maxChars: 100 }
    const broken = answerStream(log.turn, "broken", [{ type: "text", text: text.slice(0, 40) }], letters, {
      ends: false,
    })
    const wasted = viewEventOf(log.call("broken", { wasted: true, stop_reason: null }))
    log.text("m1", text)
    log.call("m1")
    ended(log)
    const rest = streamedLog(log.events.slice(3), letters)
    const frames = live([queued!, init!, ...broken, wasted, ...rest], options)
    expect(frames).toEqual(reply(log, options))
    expect(blocks(frames)).toHaveLength(2)
  })

  it("text that differs then has the numbers of what it replaces", () => {
    const log = started()
    const [queued, init] = log.events.map(viewEventOf)
    const broken = answerStream(log.turn, "broken", [{ type: "text", text: "One one.\n\nTw" }], letters, {
      ends: false,
    })
    const wasted = viewEventOf(log.call("broken", { wasted: true, stop_reason: null }))
    log.text("m1", "Other one.\n\nTwo two.")
    ended(log)
    const options = { minChars: 3, maxChars: 100 }
    const frames = live([queued!, init!, ...broken, wasted, ...streamedLog(log.events.slice(3), letters)], options)
    const bySeq = new Map(frames.map((frame) => [frame["seq"], frame]))
    expect([...bySeq.values()]).toEqual(reply(log, options))
  })

  it("a reader that joins in the middle of an answer receives it from its start", () => {
    const log = started()
    log.text("m1", "One one one one one one one one one. Two two.")
    ended(log)
    const [queued, init, ...rest] = log.events.map(viewEventOf)
    const text = "One one one one one one one one one. Tw"
    const half = answerStream(log.turn, "m1", [{ type: "text", text }], letters, { ends: false })
    const again = answerStream(log.turn, "m1", [{ type: "text", text }], whole, { ends: false })
    expect(live([queued!, init!, ...half, ...again, ...rest])).toEqual(reply(log))
  })
})
