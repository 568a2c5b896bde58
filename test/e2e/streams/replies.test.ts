// format=reply and format=agent-events over HTTP: a stream that breaks in the middle of an answer and resumes, the pages of the
// same events, and invalid requests.
import { expect, inject, it } from "vitest"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { readSse } from "../../support/server/sse.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

interface Sent {
  readonly runId: string
  readonly seq: number
  readonly type?: string
  readonly text?: string
  readonly stream?: string
  readonly data?: { readonly phase?: string }
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${shared.url}${path}`, {
    headers: { authorization: `Bearer ${shared.key}`, ...headers },
    signal: AbortSignal.timeout(30_000),
  })

/** Reads a stream until a frame is the last requested one. */
const readUntil = async (
  path: string,
  isLast: (sent: Sent) => boolean,
  headers: Readonly<Record<string, string>> = {},
) => {
  const sent: Array<Sent> = []
  let lastId: string | undefined
  const { body } = await get(path, headers)
  for await (const item of readSse(body!)) {
    if (item.kind === "comment") continue
    const data = JSON.parse(item.frame.data) as Sent
    sent.push(data)
    lastId = item.frame.id ?? lastId
    if (isLast(data)) return { sent, lastId }
  }
  throw new Error("the stream ended before its last frame came")
}

const isEnd = ({ stream, data }: Sent): boolean => stream === "lifecycle" && data?.phase === "end"

const LONG = "The first paragraph, with some words.\n\nThe second one, a little longer than that.\n\nThe third."

it.each([
  ["reply", "&minChars=10&maxChars=60", ({ type }: Sent) => type === "block_reply"],
  ["agent-events", "", ({ stream }: Sent) => stream === "assistant"],
] as const)(
  "format=%s: a channel that reconnects in the middle of an answer receives each frame once",
  async (format, options, isFirst) => {
    const name = scriptName("replies")
    await api.set(name, [{ content: [text(LONG)], chunk: 5, pause: { after: 20 } }])
    const id = await perch.createSession({})
    const stream = `/v1/sessions/${id}/events/stream?format=${format}${options}`
    const early = readUntil(stream, isFirst)
    await perch.submit(id, promptFor(name))
    // A block, or a part of the text, is sent while the answer is held back.
    const before = await early
    const back = readUntil(stream, isEnd, before.lastId === undefined ? {} : { "Last-Event-ID": before.lastId })
    await api.release(`${name}#0`)
    const after = await back
    const had = new Map([...before.sent, ...after.sent].map((sent) => [sent.seq, sent]))
    const page = await eventually(async () => {
      const { frames } = await perch.json<{ frames: ReadonlyArray<{ data: Sent }> }>(
        "GET",
        `/v1/sessions/${id}/events?format=${format}${options}&limit=1000`,
      )
      return frames.some(({ data }) => isEnd(data)) ? frames.map(({ data }) => data) : undefined
    })
    expect([...had.values()]).toEqual(page)
    expect(page.map(({ seq }) => seq)).toEqual(page.map((_, index) => index + 1))
    if (format === "reply") {
      const blocks = page.filter(({ type }) => type === "block_reply").map((block) => block.text)
      expect(blocks).toEqual(LONG.split("\n\n"))
    }
  },
)

it("the session's settings apply, and a reader's take precedence", async () => {
  const name = scriptName("settings")
  await api.set(name, [{ content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }, text("Yes.")] }])
  const id = await perch.createSession({ reply: { reasoningLevel: "on" } })
  await perch.query(id, promptFor(name))
  const blocks = async (options: string) => {
    const { frames } = await perch.json<{ frames: ReadonlyArray<{ data: Sent }> }>(
      "GET",
      `/v1/sessions/${id}/events?format=reply&limit=1000${options}`,
    )
    return frames.filter(({ data }) => data.type === "block_reply").map(({ data }) => data.text)
  }
  expect(await blocks("")).toEqual(["Reasoning:\n_Hm._", "Yes."])
  expect(await blocks("&reasoningLevel=off")).toEqual(["Yes."])
})

it("parameters out of range or of another format are rejected by name", async () => {
  const id = await perch.createSession({})
  for (const [query, field] of [
    ["format=reply&reasoningLevel=loud", "reasoningLevel"],
    ["format=reply&minChars=0", "minChars"],
    ["format=reply&maxChars=20001", "maxChars"],
    ["format=reply&minChars=100&maxChars=60", "minChars"],
    ["format=reply&breakPreference=word", "breakPreference"],
    ["format=agent-events&minChars=100", "minChars"],
    ["format=parts&blockReplyBreak=text_end", "blockReplyBreak"],
    ["format=sdk&reasoningLevel=on", "reasoningLevel"],
    ["format=reply&partials=true", "partials"],
  ] as const) {
    const refused = await get(`/v1/sessions/${id}/events/stream?${query}`)
    expect(refused.status, query).toBe(400)
    expect(await refused.json(), query).toMatchObject({ error: { type: "invalid_request_error", field } })
  }
})
