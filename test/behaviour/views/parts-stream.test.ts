// format=parts over a session's feed: what a reader receives that listens from the start, and one that resumes anywhere.
import { expect, it, vi } from "vitest"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import type { Frame } from "../../../src/views/sdk.ts"
import { BusClient, byId } from "../../support/views/bus-client.ts"
import { dataOf, FactsReader } from "../../support/views/facts-reader.ts"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, prompt, SESSION_ID, SessionHarness } from "../../support/session/session-harness.ts"

const sessions = loop()

const boot = (): { readonly harness: SessionHarness; readonly booted: Booted } => {
  const harness = sessions.harnessOf()
  const booted = harness.boot()
  booted.workspace.writeBytes("/workspace/a.txt", "a")
  return { harness, booted }
}

interface BusEvent {
  readonly type: string
  readonly properties: {
    readonly info?: { readonly id: string }
    readonly part?: { readonly id: string; readonly messageID: string }
  }
}

/** The frames of a new reader that starts at a position of an idle session. */
const readFrom = async (harness: SessionHarness, after: number): Promise<FactsReader["frames"]> => {
  const lines = harness.view({ after, facts: true })
  await vi.waitFor(() => expect(lines.some(({ name }) => name === "feed:live")).toBe(true))
  return (await FactsReader.open("parts", after)).take(lines).frames
}

/** The state of a reader that applies every frame. */
const held = (frames: FactsReader["frames"]) => {
  const messages = new Map<string, { info: unknown; parts: Map<string, unknown> }>()
  for (const { type, properties } of dataOf<BusEvent>(frames)) {
    const { info, part } = properties
    if (type === "message.updated" && info !== undefined)
      messages.set(info.id, { info, parts: messages.get(info.id)?.parts ?? new Map() })
    if (type === "message.part.updated" && part !== undefined) messages.get(part.messageID)?.parts.set(part.id, part)
  }
  return [...messages.values()].map(({ info, parts }) => ({ info, parts: [...parts.values()] }))
}

const conversation = async ({ session, idle }: Booted): Promise<void> => {
  for (const says of ["One", "Two"]) {
    const name = scriptName("parts-stream")
    const calls = [text("Let me look."), call("Read", { file_path: "/workspace/a.txt" })]
    sessions.api.set(name, [{ content: calls }, textAnswer(says)])
    prompt(session, promptFor(name))
    await idle()
  }
}

it("the frames produce the messages that the pages have, live and from the log", async () => {
  const { harness, booted } = boot()
  const live = harness.view({ after: 0, facts: true })
  await conversation(booted)
  const page = messagesPage(booted.open.core, SESSION_ID, { limit: 500 })
  const reader = (await FactsReader.open("parts")).take(live)
  expect(held(reader.frames)).toEqual("messages" in page ? page.messages : page)
  expect(held(await readFrom(harness, 0))).toEqual(held(reader.frames))
})

/** Frames without the ids of those that belong to no event of the log, which differ each time. */
const comparable = (frames: ReadonlyArray<Frame>) =>
  frames.map(({ id, data }) => {
    const { id: own, ...event } = JSON.parse(data) as { readonly id: string; readonly type: string }
    const isBeside = id === null && (event.type === "server.connected" || event.type === "session.status")
    return { id, event, ...(isBeside ? {} : { own }) }
  })

it("a reader that resumes anywhere receives what an uninterrupted stream sends after that position", async () => {
  const { harness, booted } = boot()
  await conversation(booted)
  const durable = ({ id }: { readonly id: number | null }) => id
  const whole = await readFrom(harness, 0)
  const places = whole.map(durable).filter((id) => id !== null)
  expect(places.length).toBeGreaterThan(10)
  for (const after of places) {
    const back = await readFrom(harness, after)
    const first = whole.findIndex(({ id }) => id === after)
    // After server.connected.
    expect(comparable(back.slice(1))).toEqual(comparable(whole.slice(first + 1)))
  }
})

it("another process has the same frames, and a reader that resumes in the middle of an answer ends with the pages' messages", async () => {
  const { harness, booted } = boot()
  const live = harness.view({ after: 0, facts: true })
  await conversation(booted)
  const page = messagesPage(booted.open.core, SESSION_ID, { limit: 500 })
  const messages = byId("messages" in page ? page.messages : [])
  expect(live.some(({ name }) => name === "sdk:stream_event")).toBe(true)
  expect(new BusClient().take((await FactsReader.open("parts")).take(live).frames).messages()).toEqual(messages)
  const whole = await readFrom(harness, 0)
  harness.crash()
  harness.boot()
  expect(comparable(await readFrom(harness, 0))).toEqual(comparable(whole))
  for (const cut of live.keys()) {
    const left = (await FactsReader.open("parts")).take(live.slice(0, cut))
    const client = new BusClient().take(left.frames)
    client.take(await readFrom(harness, left.cursor === "head" ? 0 : left.cursor))
    expect(client.messages(), `behind line ${cut}`).toEqual(messages)
  }
})
