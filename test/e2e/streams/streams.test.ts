// Clients that disconnect and return: the log and its streams deliver every durable event exactly once, in order.
import { describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { blocksOf, eventually, PerchClient, type Received } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const LONG = Array.from({ length: 60 }, (_, index) => `word${index} `).join("")

/** The text of each streamed block, joined from its partial messages, in the order of the blocks. */
const joinedPartials = (received: ReadonlyArray<Received>): ReadonlyArray<string> => {
  const texts: Array<string> = []
  for (const { message } of received) {
    const event = message.type === "stream_event" ? message.event : undefined
    if (event?.type === "content_block_start" && event.content_block?.type === "text") texts.push("")
    if (event?.delta?.type === "text_delta") texts[texts.length - 1] += event.delta.text ?? ""
  }
  return texts
}

const seqs = (received: ReadonlyArray<Received>) => received.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))

describe("a client that disconnects in mid-stream", () => {
  it("misses and repeats nothing when it returns with Last-Event-ID, and the turn continued meanwhile", async () => {
    const name = scriptName("drop")
    await api.set(name, [
      { content: [text(LONG), call("Read", { file_path: "/workspace/x.txt" })], pause: { after: 12 } },
      { content: [text(`Then ${LONG}`)], pause: { after: 12 } },
    ])
    const id = await perch.createSession({ includePartialMessages: true }, { "/workspace/x.txt": "x\n" })
    await perch.submit(id, promptFor(name))
    // Disconnects in the middle of the first text.
    const first = await perch.stream(id, { after: 0, until: ({ event }) => event?.delta?.type === "text_delta" })
    const seen = seqs(first)
    // The turn continues without a reader, into the middle of its second answer.
    await api.release(`${name}#0`)
    await eventually(async () => ((await api.requests(name)).length >= 2 ? true : undefined))
    const rest = perch.stream(id, { lastEventId: String(seen.at(-1)), until: ({ type }) => type === "result" })
    await api.release(`${name}#1`)
    const second = await rest
    const both = [...seen, ...seqs(second)]
    expect(both).toEqual([...new Set(both)].toSorted((a, b) => a - b))
    const log = await perch.events(id)
    const visible = log.filter((event) => event.name.startsWith("sdk:")).map(({ seq }) => seq)
    expect(both).toEqual(visible.filter((seq) => seq <= both.at(-1)!))
  })

  it("receives the text so far when it joins inside a message: the partial messages of each block add up to the block", async () => {
    const name = scriptName("join")
    await api.set(name, [{ content: [text(LONG)], chunk: 12, pause: { after: 20 } }])
    const id = await perch.createSession({ includePartialMessages: true })
    await perch.submit(id, promptFor(name))
    await perch.stream(id, { after: 0, until: ({ event }) => event?.delta?.type === "text_delta" })
    let released = false
    const late = await perch.stream(id, {
      after: 0,
      until: ({ type }) => {
        if (type === "stream_event" && !released) {
          released = true
          void api.release(`${name}#0`)
        }
        return type === "result"
      },
    })
    const final = late.filter(({ message }) => message.type === "assistant").flatMap(({ message }) => blocksOf(message))
    expect(final.map((block) => block.text)).toEqual([LONG])
    expect(joinedPartials(late)).toEqual([LONG])
  })
})

describe("the log", () => {
  it("has no gap, and any two reads that are split at a seq equal one read", async () => {
    const name = scriptName("split")
    await api.set(name, [
      { content: [call("Bash", { command: "echo hi", description: "Say hi" })] },
      textAnswer("Done."),
    ])
    const id = await perch.createSession({ permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true })
    await perch.query(id, promptFor(name))
    const all = await perch.events(id)
    const first = all[0]?.seq ?? 0
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => first + index))
    for (const { seq } of all) {
      const cut = seq - first + 1
      const head = await perch.json<{ events: ReadonlyArray<unknown> }>("GET", `/v1/sessions/${id}/events?limit=${cut}`)
      const tail = await perch.json<{ events: ReadonlyArray<unknown> }>(
        "GET",
        `/v1/sessions/${id}/events?after=${seq}&limit=1000`,
      )
      expect([...head.events, ...tail.events]).toEqual(all)
    }
  })
})
