// The messages that requests send of a conversation, read at every point of it.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ApiMessage, Transcript } from "../../../src/agent/transcript/transcript.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { numberedEvent, type TestName } from "../../support/session/log-event.ts"

let seq = 0
const event = (name: TestName, payload: unknown, turn = "t"): LogEvent => {
  seq += 1
  return numberedEvent(seq, name, payload, turn)
}

const text = (value: string) => ({ type: "text", text: value })
const replied = (id: string, value: string) => event("sdk:assistant", { message: { id, content: [text(value)] } })
const prompted = (value: string) => event("sdk:user", { message: { content: [text(value)] } })
const finished = (id: string, wasted = false) => event("call:finished", { message_id: id, wasted })
const moved = () => event("head:moved", { to_seq: 1 })

/** The messages of a transcript that was read only once, at the end, so that nothing was cached before. */
const fresh = (events: ReadonlyArray<LogEvent>): ReadonlyArray<ApiMessage> => {
  const transcript = new Transcript()
  for (const one of events) transcript.apply(one, 1)
  return transcript.messages()
}

it("counts as loose only what is not held as JSON, however much larger events are than their messages", () => {
  const transcript = new Transcript()
  for (let n = 0; n < 1000; n += 1) {
    for (const one of [prompted("one"), replied(`a${n}`, "two"), finished(`a${n}`)]) transcript.apply(one, 1000)
  }
  expect(transcript.messages()).toHaveLength(2000)
  expect(transcript.size - transcript.held.size).toBeGreaterThan(1000)
  expect(transcript.size - transcript.held.size).toBeLessThan(20_000)
})

it("the place of the report of a failed request is stored with the conversation", () => {
  const transcript = new Transcript()
  const report = event("sdk:assistant", {
    is_api_error_message: true,
    message: { model: "<synthetic>", content: [text("no")] },
  })
  for (const one of [prompted("one"), replied("a", "two"), finished("a"), prompted("three"), report])
    transcript.apply(one, 1)
  const saved = transcript.save()
  const restored = Transcript.of(JSON.parse(JSON.stringify(saved)), [])
  const earlier = JSON.parse(JSON.stringify({ ...saved, messages: { ...saved?.messages, reported: 1 } }))
  expect(Transcript.of(earlier, []).sinceReports).toEqual([0])
  for (const each of [transcript, restored]) {
    expect(each.sinceReports).toEqual([0])
    for (const one of [prompted("four"), prompted(" "), prompted("five"), report, prompted("more")]) each.apply(one, 1)
    expect(each.sinceReports).toEqual([3, 1])
    for (const one of [replied("b", "six"), finished("b"), prompted("seven")]) each.apply(one, 1)
    expect(each.sinceReports).toEqual([])
  }
})

describe("the messages of a conversation", () => {
  it("include what follows an answer that was discarded", () => {
    const transcript = new Transcript()
    const events = [prompted("one"), replied("a", "lost"), finished("a", true), prompted("two")]
    for (const one of events) {
      transcript.apply(one, 1)
      transcript.messages()
    }
    expect(transcript.messages()).toEqual([{ role: "user", content: [text("one"), text("two")] }])
  })

  it("answer a turn that was cut off before the session was resumed or forked, and no others", () => {
    const reopened = () => event("session:changed", { options: {}, reopened: true })
    const forked = () => event("session:forked", { parent: "p", through: 1 })
    const answered = [
      { role: "user" },
      { role: "assistant", content: [text("No answer was requested.")] },
      { role: "user" },
    ]
    for (const mark of ["[Request interrupted by user]", "[Request interrupted by user for tool use]"]) {
      expect(fresh([prompted("one"), prompted(mark), reopened(), prompted("two")])).toMatchObject(answered)
      expect(fresh([prompted("one"), prompted(mark), forked(), prompted("two")])).toMatchObject(answered)
      expect(fresh([prompted("one"), prompted(mark), prompted("two")])).toHaveLength(1)
    }
    const unrun = event("tool:skipped", { tool_use_id: "c", content: "The turn ended before this call was run." })
    expect(fresh([prompted("one"), unrun, forked(), prompted("two")])).toMatchObject(answered)
    expect(fresh([prompted("one"), unrun, reopened(), prompted("two")])).toMatchObject(answered)
    expect(fresh([prompted("one"), unrun, prompted("two")])).toHaveLength(1)
    expect(fresh([prompted("one"), reopened(), prompted("two")])).toHaveLength(1)
    expect(fresh([prompted("one"), forked(), prompted("two")])).toHaveLength(1)
    expect(fresh([reopened(), prompted("one"), replied("a", "two"), reopened()])).toHaveLength(2)
  })

  it("have an answer after a turn that ended blank, once the session is reopened", () => {
    const asked = prompted("Your last answer contained nothing that the user can see. Say what you did, or continue.")
    const thought = event("sdk:assistant", { message: { id: "a", content: [{ type: "thinking", thinking: "hm" }] } })
    const reopened = event("session:changed", { options: {}, reopened: true })
    const answer = { role: "assistant", content: [text("No answer was requested.")] }
    for (const blank of [[], [thought, finished("a")]]) {
      expect(fresh([prompted("one"), asked, ...blank, reopened, prompted("two")])).toMatchObject([
        { role: "user" },
        answer,
        { role: "user", content: [text("two")] },
      ])
      expect(fresh([prompted("one"), asked, ...blank, prompted("two")])).toHaveLength(1)
    }
  })

  it("contain no blank texts, and a message without any other content says so", () => {
    const queued = (prompt: unknown) => [event("turn:queued", { prompt, options: {} }), event("sdk:system/init", {})]
    const contentOf = (prompt: unknown) => fresh(queued(prompt))[0]?.content
    const nothing = [{ type: "text", text: expect.stringContaining("The user sent an empty message.") }]
    for (const blank of ["", "  ", "\n\t", "\u00a0"]) {
      expect(contentOf(blank)).toEqual(nothing)
      expect(contentOf([text(blank), text(blank)])).toEqual(nothing)
      expect(contentOf([text(blank), text("one"), text(blank)])).toEqual([text("one")])
      const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } }
      expect(contentOf([text(blank), image])).toEqual([image])
      expect(fresh([...queued("one"), replied("a", blank), prompted("two")])).toEqual([
        { role: "user", content: [text("one"), text("two")] },
      ])
    }
    expect(contentOf(" one ")).toEqual([text(" one ")])
  })

  it("have tool results without blank texts, and with content where a call failed", () => {
    const sent = (content: unknown, is_error?: boolean) => {
      const result = { type: "tool_result", tool_use_id: "c", content, ...(is_error === undefined ? {} : { is_error }) }
      return fresh([event("sdk:user", { message: { content: [result] } })])[0]?.content[0]?.["content"]
    }
    const none = "(The tool returned no output.)"
    const failed = "(The call failed, and no reason was given.)"
    for (const blank of ["", "  ", "\n\t"]) {
      expect(sent(blank, true)).toBe(failed)
      expect(sent([text(blank)], true)).toBe(failed)
      expect(sent([text(blank), text("one"), text(blank)], true)).toEqual([text("one")])
      expect(sent([text(blank), text("one")])).toEqual([text("one")])
      expect(sent([text(blank)])).toBe(none)
      expect(sent(blank)).toBe(none)
    }
    expect(sent([], true)).toBe(failed)
    expect(sent(undefined, true)).toBe(failed)
    expect(sent(undefined)).toBe(undefined)
    expect(sent(" one ", true)).toBe(" one ")
    expect(sent([text(" one ")])).toEqual([text(" one ")])
  })

  it("are the same objects in the next request, except the last one", () => {
    const transcript = new Transcript()
    for (const one of [prompted("one"), replied("a", "two"), finished("a"), prompted("three")]) transcript.apply(one, 1)
    const before = transcript.messages()
    for (const one of [replied("b", "four"), finished("b"), prompted("five")]) transcript.apply(one, 1)
    const after = transcript.messages()
    expect(after).toHaveLength(5)
    for (const [index, message] of before.entries()) expect(after[index]).toBe(message)
  })

  it("need no prompt that was cancelled, or that became part of another turn", () => {
    const transcript = new Transcript()
    const queued = (turn: string) => event("turn:queued", { prompt: `prompt of ${turn}`, options: {} }, turn)
    const joined = (turn: string, first: boolean) =>
      event("turn:joined", { turn, prompt: `prompt of ${turn}`, ...(first ? { first } : {}) })
    for (const one of [
      ...["t", "first", "second", "cancelled"].map(queued),
      joined("first", true),
      event("sdk:system/init", {}),
      joined("second", false),
      event("turn:cancelled", {}, "cancelled"),
    ])
      transcript.apply(one, 1)
    expect(transcript.save()?.prompts).toEqual([])
    expect(transcript.messages()).toHaveLength(1)
    expect(JSON.stringify(transcript.messages())).toMatch(/prompt of t.*prompt of first.*prompt of second/)
  })

  it("do not depend on when they were read", () => {
    const ids = fc.constantFrom("a", "b", "c")
    const step = fc.oneof(
      fc.record({ kind: fc.constant("prompted" as const), value: fc.string({ maxLength: 3 }) }),
      fc.record({ kind: fc.constant("replied" as const), id: ids, value: fc.string({ maxLength: 3 }) }),
      fc.record({ kind: fc.constant("finished" as const), id: ids, wasted: fc.boolean() }),
      fc.record({ kind: fc.constant("moved" as const) }),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 30 }), (steps) => {
        const transcript = new Transcript()
        const events: Array<LogEvent> = []
        for (const [one, asks] of steps) {
          const next =
            one.kind === "prompted"
              ? prompted(one.value)
              : one.kind === "replied"
                ? replied(one.id, one.value)
                : one.kind === "finished"
                  ? finished(one.id, one.wasted)
                  : moved()
          events.push(next)
          transcript.apply(next, 1)
          if (asks) expect(transcript.messages()).toEqual(fresh(events))
        }
        expect(transcript.messages()).toEqual(fresh(events))
      }),
      { numRuns: 1000 },
    )
  })
})
