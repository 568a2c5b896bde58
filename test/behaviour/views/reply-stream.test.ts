// format=reply and format=agent-events over a session's feed: live, from the log, and from any position; interrupted answers.
import { describe, expect, it, vi } from "vitest"
import type { LiveOptions } from "../../../src/http/contract/live-formats.ts"
import { dataOf, FactsReader } from "../../support/views/facts-reader.ts"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, prompt, SessionHarness } from "../../support/session/session-harness.ts"

const sessions = loop()

type Format = "reply" | "agent-events"

interface Sent {
  readonly runId: string
  readonly seq: number
  readonly type?: string
  readonly text?: string
}

const boot = (): { readonly harness: SessionHarness; readonly booted: Booted } => {
  const harness = sessions.harnessOf()
  const booted = harness.boot()
  booted.workspace.writeBytes("/workspace/a.txt", "a")
  return { harness, booted }
}

/** The frames of a new reader that starts at a position of an idle session. */
const readFrom = async (harness: SessionHarness, format: Format, after: number, options: LiveOptions = {}) => {
  const lines = harness.view({ after, facts: true })
  await vi.waitFor(() => expect(lines.some(({ name }) => name === "feed:live")).toBe(true))
  return (await FactsReader.open(format, after, options)).take(lines).frames
}

const LONG = "The first paragraph, with some words.\n\nThe second one, a little longer than that.\n\nThe third."
const CHUNKS: LiveOptions = { minChars: 10, maxChars: 60 }
const optionsOf = (format: Format): LiveOptions => (format === "reply" ? CHUNKS : {})

const converse = async ({ session, idle }: Booted, turns: ReadonlyArray<unknown>): Promise<void> => {
  const name = scriptName("reply-stream")
  sessions.api.set(name, turns)
  prompt(session, promptFor(name))
  await idle()
}

const TURNS = [
  { content: [text("Let me look."), call("Read", { file_path: "/workspace/a.txt" })], chunk: 3 },
  { content: [text(LONG)], chunk: 5 },
]

describe.each(["reply", "agent-events"] as const)("format=%s", (format) => {
  it("has the same frames live and from the log, numbered in each run", async () => {
    const { harness, booted } = boot()
    const live = harness.view({ after: 0, facts: true })
    await converse(booted, TURNS)
    await converse(booted, [textAnswer("NO_REPLY")])
    const frames = dataOf<Sent>((await FactsReader.open(format, 0, optionsOf(format))).take(live).frames)
    expect(dataOf(await readFrom(harness, format, 0, optionsOf(format)))).toEqual(frames)
    const runs = [...new Set(frames.map(({ runId }) => runId))]
    expect(runs).toHaveLength(2)
    for (const run of runs) {
      const numbers = frames.filter(({ runId }) => runId === run).map(({ seq }) => seq)
      expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    }
    // Some frames were sent before the event that they belong to was stored.
    expect(live.some(({ name }) => name === "sdk:stream_event")).toBe(true)
  })

  it("a reader that resumes anywhere receives what an uninterrupted stream sends after that position", async () => {
    const { harness, booted } = boot()
    await converse(booted, TURNS)
    const whole = await readFrom(harness, format, 0)
    const places = whole.map(({ id }) => id).filter((id) => id !== null)
    expect(places.length).toBeGreaterThan(3)
    for (const after of places) {
      const first = whole.findIndex(({ id }) => id === after)
      expect(await readFrom(harness, format, after)).toEqual(whole.slice(first + 1))
    }
  })

  it("a reader that joins in the middle of an answer receives the rest, under the same numbers", async () => {
    const { harness, booted } = boot()
    const name = scriptName("reply-joins")
    sessions.api.set(name, [{ content: [text(LONG)], chunk: 5, pause: { after: 12 } }])
    const first = harness.view({ after: 0, facts: true })
    prompt(booted.session, promptFor(name))
    await vi.waitFor(() => expect(first.filter((line) => line.name === "sdk:stream_event").length).toBeGreaterThan(8))
    const second = harness.view({ after: 0, facts: true })
    await vi.waitFor(() => expect(second.some((line) => line.name === "feed:live")).toBe(true))
    sessions.api.release(`${name}#0`)
    await booted.idle()
    const page = dataOf<Sent>(await readFrom(harness, format, 0, optionsOf(format)))
    for (const lines of [first, second]) {
      const reader = (await FactsReader.open(format, 0, optionsOf(format))).take(lines)
      expect(dataOf(reader.frames)).toEqual(page)
    }
  })
})

it("the text of a failed answer is not sent again by the answer that replaces it", async () => {
  const { harness, booted } = boot()
  const live = harness.view({ after: 0, facts: true })
  await converse(booted, [
    [
      { content: [text(LONG)], chunk: 5, drop: { after: 16 } },
      { content: [text(LONG)], chunk: 7 },
    ],
  ])
  const frames = dataOf<Sent>((await FactsReader.open("reply", 0, CHUNKS)).take(live).frames)
  const blocks = frames.filter(({ type }) => type === "block_reply").map((frame) => frame.text)
  expect(blocks).toEqual(LONG.split("\n\n"))
  expect(live.filter((line) => line.json.includes('"message_start"')).length).toBe(2)
  expect(frames).toEqual(dataOf(await readFrom(harness, "reply", 0, CHUNKS)))
})

it("an interrupt keeps the text so far, and ends the run", async () => {
  const { harness, booted } = boot()
  const live = harness.view({ after: 0, facts: true })
  const name = scriptName("reply-stops")
  sessions.api.set(name, [{ content: [text(LONG)], chunk: 5, pause: { after: 12 } }])
  prompt(booted.session, promptFor(name))
  await vi.waitFor(() => expect(live.filter((line) => line.name === "sdk:stream_event").length).toBeGreaterThan(8))
  await booted.runner.interrupt()
  await booted.idle()
  const frames = dataOf<Sent>((await FactsReader.open("reply", 0, CHUNKS)).take(live).frames)
  expect(frames).toEqual(dataOf(await readFrom(harness, "reply", 0, CHUNKS)))
  expect(frames.filter(({ type }) => type === "block_reply").length).toBeGreaterThan(0)
  expect(frames.at(-1)).toMatchObject({ type: "agent_event", stream: "lifecycle", data: { phase: "end" } })
})
