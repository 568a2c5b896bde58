// format=ag-ui over a session's feed: the stream equals the log, however often the feed breaks.
import type { BaseEvent } from "@ag-ui/client"
import { expect, it, vi } from "vitest"
import { dataOf, FactsReader } from "../../support/views/facts-reader.ts"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"
import { type Booted, prompt, SessionHarness } from "../../support/session/session-harness.ts"

const sessions = loop()

const TURNS = [
  {
    content: [
      { type: "thinking", thinking: "First I look at the file.", signature: "c2ln" },
      text("Let me look at it."),
      call("Read", { file_path: "/workspace/a.txt" }),
    ],
    chunk: 3,
  },
  { content: [text("It says: a. And that is all there is to say.")], chunk: 4 },
]

const boot = (): { readonly harness: SessionHarness; readonly booted: Booted } => {
  const harness = sessions.harnessOf()
  const booted = harness.boot()
  booted.workspace.writeBytes("/workspace/a.txt", "a")
  return { harness, booted }
}

const converse = async ({ session, idle }: Booted): Promise<void> => {
  const name = scriptName("ag-ui-stream")
  sessions.api.set(name, TURNS)
  prompt(session, promptFor(name))
  await idle()
}

/** Removes the events' times, and joins the chunks of each text. */
const whole = (events: ReadonlyArray<BaseEvent>): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const joined: Array<Record<string, unknown>> = []
  for (const { timestamp: _, ...event } of events) {
    const last = joined.at(-1)
    const goesOn = last?.["type"] === event.type && event.type.endsWith("_MESSAGE_CONTENT")
    if (goesOn && last?.["messageId"] === event["messageId"])
      last["delta"] = `${String(last["delta"])}${String(event["delta"])}`
    else joined.push({ ...event })
  }
  return joined
}

it("the chunks that are streamed add up to what the log has", async () => {
  const { harness, booted } = boot()
  const live = harness.view({ after: 0, facts: true })
  await converse(booted)
  const streamed = dataOf<BaseEvent>((await FactsReader.open("ag-ui", 0)).take(live).frames)
  const lines = harness.view({ after: 0, facts: true })
  await vi.waitFor(() => expect(lines.some(({ name }) => name === "feed:live")).toBe(true))
  const logged = dataOf<BaseEvent>((await FactsReader.open("ag-ui", 0)).take(lines).frames)
  expect(streamed.length).toBeGreaterThan(logged.length)
  expect(whole(streamed)).toEqual(whole(logged))
})

it("an answer whose feed breaks anywhere is sent once", async () => {
  const { harness, booted } = boot()
  const live = harness.view({ after: 0, facts: true })
  await converse(booted)
  const logged = whole(dataOf<BaseEvent>((await FactsReader.open("ag-ui", 0)).take(live).frames))
  const streams = live.flatMap(({ name }, index) => (name === "sdk:stream_event" ? [index] : []))
  expect(streams.length).toBeGreaterThan(10)
  for (const cut of streams) {
    // Ephemeral lines are lost from here to the next durable event.
    const next = live.findIndex(({ seq }, index) => index > cut && seq !== null)
    const broken = [...live.slice(0, cut), ...live.slice(next)]
    const frames = dataOf<BaseEvent>((await FactsReader.open("ag-ui", 0)).take(broken).frames)
    expect(whole(frames)).toEqual(logged)
  }
})
