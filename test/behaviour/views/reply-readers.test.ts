// Any log, any split of its deltas, and a reader that resumes anywhere: always the frames that the log has.
import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { agentEventsView } from "../../../src/views/agent-events/agent-events-view.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import type { LiveView, ViewEvent } from "../../../src/views/live/live-view.ts"
import type { ReplyQuery } from "../../../src/views/reply/reply-query.ts"
import { replyView } from "../../../src/views/reply/reply-view.ts"
import { ReplyFold } from "../../../src/views/reply/reply-fold.ts"
import { TurnLog } from "../../support/session/turn-log.ts"
import { SLACK, startOf } from "../../support/views/reply-log.ts"
import { caughtUp, type Cut, streamedLog } from "../../support/views/streamed-log.ts"

const SESSION = { messaging_tools: [SLACK] }

const words = fc.constantFrom(
  ..."word |A sentence. |[[reply_to: 7]] |[[reply_to_current]]|[[audio_as_voice]]|\n|\n\n|`code` |```js\nlet a\n\nlet b\n```\n|MEDIA: https://cdn.acme.com/a.png\n|NO_REPLY|The build is green |<think>hm</think>|😀|verylongwordwithoutanyspaceinitatallwhichgoesonandonandon".split(
    "|",
  ),
)
const texts = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(""))
/** The loop stores no text that is only white space. */
const shown = texts.filter((text) => text.trim() !== "")

type Message = {
  readonly thinking: string | null
  readonly texts: ReadonlyArray<string>
  readonly calls: ReadonlyArray<{ readonly tool: string; readonly fails: boolean }>
  readonly early: boolean
}
const messages: fc.Arbitrary<Message> = fc.record({
  thinking: fc.option(shown),
  texts: fc.array(shown, { maxLength: 2 }),
  calls: fc.array(fc.record({ tool: fc.constantFrom("Read", SLACK.name), fails: fc.boolean() }), { maxLength: 2 }),
  early: fc.boolean(),
})

const logOf = (turns: ReadonlyArray<ReadonlyArray<Message>>): ReadonlyArray<LogEvent> => {
  const log = new TurnLog()
  let calls = 0
  for (const turn of turns) {
    log.queued("Go")
    log.init()
    for (const [index, message] of turn.entries()) {
      const id = `m${log.events.length}-${index}`
      if (message.thinking !== null) log.block(id, { type: "thinking", thinking: message.thinking, signature: "" })
      for (const text of message.texts) log.text(id, text)
      const ids = message.calls.map(({ tool }) => {
        const call = `t${calls++}`
        log.toolUse(id, call, tool, { message: "The build is green", channel: "C1", file_path: "/a" })
        return call
      })
      // A call may end before its message does.
      if (!message.early) log.call(id)
      for (const [at, call] of ids.entries()) log.toolResult(call, "done", { is_error: message.calls[at]!.fails })
      if (message.early) log.call(id)
    }
    log.result("success", { result: "", errors: [] })
  }
  return log.events
}

const logs = fc.array(fc.array(messages, { maxLength: 4 }), { minLength: 1, maxLength: 2 }).map(logOf)
const options: fc.Arbitrary<ReplyQuery> = fc.record(
  {
    reasoningLevel: fc.constantFrom("off" as const, "on" as const, "stream" as const),
    blockReplyBreak: fc.constantFrom("text_end" as const, "message_end" as const),
    minChars: fc.integer({ min: 1, max: 60 }),
    maxChars: fc.integer({ min: 60, max: 120 }),
    breakPreference: fc.constantFrom("paragraph" as const, "newline" as const, "sentence" as const),
    flushOnParagraph: fc.boolean(),
    shouldEmitToolResult: fc.boolean(),
    enforceFinalTag: fc.boolean(),
  },
  { requiredKeys: [] },
)
const cuts: fc.Arbitrary<Cut> = fc
  .array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 })
  .map((lengths) => (text) => {
    const pieces: Array<string> = []
    for (let at = 0, turn = 0; at < text.length; turn++) {
      const length = lengths[turn % lengths.length] ?? 1
      pieces.push(text.slice(at, at + length))
      at += length
    }
    return pieces
  })

const VIEWS: ReadonlyArray<(query: ReplyQuery) => LiveView> = [
  (query) => replyView(startOf(query, SESSION)),
  () => agentEventsView(startOf({}, SESSION)),
]

const sent = (view: LiveView, events: Iterable<ViewEvent>) =>
  Array.from(events, (event) => view.apply(event)).flatMap((frames) => frames.map(({ data }) => data))

it("a stream has the frames of the log, however its deltas were split, and each run's are numbered without a gap", () => {
  fc.assert(
    fc.property(logs, options, cuts, (log, query, cut) => {
      for (const make of VIEWS) {
        const page = sent(make(query), log.map(viewEventOf))
        expect(sent(make(query), streamedLog(log, cut))).toEqual(page)
        const numbers = new Map<string, number>()
        for (const { runId, seq } of page.map((data) => JSON.parse(data) as { runId: string; seq: number })) {
          expect(seq).toBe((numbers.get(runId) ?? 0) + 1)
          numbers.set(runId, seq)
        }
      }
    }),
    { numRuns: 150 },
  )
})

it("a reader that resumes anywhere receives the frames after its last event", () => {
  fc.assert(
    fc.property(logs, options, cuts, fc.nat(), (log, query, cut, place) => {
      const stream = streamedLog(log, cut)
      const at = place % (stream.length + 1)
      const before = stream.slice(0, at)
      const had = before.filter(({ seq }) => seq !== null)
      for (const make of VIEWS) {
        const whole = make(query)
        const skipped = sent(whole, had)
        const rest = sent(whole, log.slice(had.length).map(viewEventOf))
        const back = make(query)
        expect(sent(back, had)).toEqual(skipped)
        expect(sent(back, [...caughtUp(before), ...stream.slice(at)])).toEqual(rest)
      }
    }),
    { numRuns: 150 },
  )
})

it("the reply of a run is the same from its stream, from its log, and from the blocks that a channel has sent", () => {
  fc.assert(
    fc.property(logs, cuts, (log, cut) => {
      const [fromLog, fromStream] = [new ReplyFold(SESSION), new ReplyFold(SESSION)]
      for (const event of log) fromLog.apply(viewEventOf(event))
      for (const event of streamedLog(log, cut)) fromStream.apply(event)
      expect(fromStream.payloads).toEqual(fromLog.payloads)
      expect(fromStream.messagingToolSentTexts).toEqual(fromLog.messagingToolSentTexts)
      const blocks = sent(replyView(startOf({}, SESSION)), log.map(viewEventOf))
        .map((data) => JSON.parse(data) as { type: string; text?: string })
        .flatMap(({ type, text }) => (type === "block_reply" && text !== undefined ? [text] : []))
      for (const { text } of fromLog.payloads) if (text !== undefined) expect(blocks).toContain(text)
    }),
    { numRuns: 100 },
  )
})
