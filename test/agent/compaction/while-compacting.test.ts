// The compacting state, repeated while a long compaction runs.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { charactersOf, whileCompacting } from "../../../src/agent/compaction/while-compacting.ts"
import { LiveAnswer } from "../../../src/agent/messages/live-answer.ts"

it("is sent every 30 seconds, and never after the end", async () => {
  let sent = 0
  const announce = Effect.sync(() => void (sent += 1))
  const counts = await Effect.gen(function* () {
    const summary = Effect.as(Effect.sleep(70_000), "summary")
    const fiber = yield* Effect.forkChild(whileCompacting(announce)(summary))
    yield* TestClock.adjust(29_000)
    const atFirst = sent
    yield* TestClock.adjust(2_000)
    const once = sent
    yield* TestClock.adjust(39_000)
    const answer = yield* Fiber.join(fiber)
    yield* TestClock.adjust(100_000)
    return { atFirst, once, answer, sent }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
  expect(counts).toEqual({ atFirst: 0, once: 1, answer: "summary", sent: 2 })
})

it("passes a failure through unchanged", async () => {
  const failing = whileCompacting(Effect.void)(Effect.fail("no answer"))
  expect(await Effect.runPromise(Effect.flip(failing))).toBe("no answer")
})

it("the characters that have arrived are those of the text, not of the thinking before it", () => {
  const live = new LiveAnswer()
  expect([charactersOf({ live: null }), charactersOf({ live })]).toEqual([0, 0])
  live.decoder.push({ type: "message_start", message: {} })
  live.decoder.push({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } })
  live.decoder.push({ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "first" } })
  expect(charactersOf({ live })).toBe(0)
  live.decoder.push({ type: "content_block_stop", index: 0 })
  live.decoder.push({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } })
  live.decoder.push({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "<summary>" } })
  expect(charactersOf({ live })).toBe(9)
})
