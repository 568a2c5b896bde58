// format=parts over HTTP: a stream, one that resumes in the middle, and the pages of the same events.
import { expect, inject, it } from "vitest"
import { PerchClient } from "../../support/server/client.ts"
import { readSse, type SseFrame } from "../../support/server/sse.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import type { ToolPart } from "../../../src/schemas/parts.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

interface BusEvent {
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${shared.url}${path}`, {
    headers: { authorization: `Bearer ${shared.key}`, ...headers },
    signal: AbortSignal.timeout(30_000),
  })

const eventOf = ({ data }: SseFrame): BusEvent => JSON.parse(data) as BusEvent

/** The frames of a stream up to the first one with an id of at least `last`. */
const streamed = async (
  path: string,
  last: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReadonlyArray<SseFrame>> => {
  const frames: Array<SseFrame> = []
  const { body } = await get(path, headers)
  for await (const item of readSse(body!)) {
    if (item.kind === "comment") continue
    frames.push(item.frame)
    if (Number(item.frame.id ?? 0) >= last) return frames
  }
  throw new Error("the stream ended before its last event came")
}

it("a stream resumes where another ended, and pages have the same frames", async () => {
  const name = scriptName("parts")
  await api.set(name, [textAnswer("Hello.")])
  const id = await perch.createSession({})
  await perch.query(id, promptFor(name))
  const page = (await (await get(`/v1/sessions/${id}/events?format=parts&limit=1000`)).json()) as {
    readonly frames: ReadonlyArray<{ readonly id: number | null; readonly data: BusEvent }>
  }
  const ids = page.frames.map((frame) => frame.id).filter((one) => one !== null)
  const last = ids.at(-1)!
  const stream = `/v1/sessions/${id}/events/stream?format=parts`
  const whole = await streamed(stream, last)
  expect(eventOf(whole[0]!)).toMatchObject({ type: "server.connected", properties: {} })
  expect(whole.slice(1).map(eventOf)).toEqual(page.frames.map(({ data }) => data))
  const middle = String(ids[Math.floor(ids.length / 2)])
  const rest = await streamed(stream, last, { "Last-Event-ID": middle })
  const from = whole.findIndex((frame) => frame.id === middle)
  expect(rest.slice(1).map(eventOf)).toEqual(whole.slice(from + 1).map(eventOf))
})

it("an answer arrives in deltas of its part, and the end of the session is the last event", async () => {
  const name = scriptName("parts")
  await api.set(name, [{ content: [text("One, two, three, four, five.")], chunk: 6 }])
  const id = await perch.createSession({})
  const { body } = await get(`/v1/sessions/${id}/events/stream?format=parts`)
  const events: Array<BusEvent> = []
  const deltas = new Map<unknown, string>()
  let asked = false
  for await (const item of readSse(body!)) {
    if (item.kind === "comment") continue
    const event = eventOf(item.frame)
    events.push(event)
    const { partID, delta } = event.properties
    if (event.type === "message.part.delta") deltas.set(partID, (deltas.get(partID) ?? "") + String(delta))
    if (event.type === "session.status" && !asked) {
      asked = true
      await perch.submit(id, promptFor(name))
    }
    if (event.type === "session.idle") await perch.json("DELETE", `/v1/sessions/${id}`)
  }
  const texts = events.flatMap(({ type, properties }) =>
    type === "message.part.updated" ? [properties["part"] as { id: string; type: string; text?: string }] : [],
  )
  const answer = texts.findLast((part) => part.type === "text")
  expect(answer?.text).toBe("One, two, three, four, five.")
  expect([...deltas]).toEqual([[answer?.id, answer?.text]])
  expect(events.at(-1)).toMatchObject({ type: "session.deleted", properties: { sessionID: id } })
})

it("parameters that the format does not use are rejected by name", async () => {
  const id = await perch.createSession({})
  for (const [path, field] of [
    ["events?format=parts&order=desc", "order"],
    ["events?format=parts&name=sdk:*", "name"],
    ["events/stream?format=parts&name=sdk:*", "name"],
    ["events/stream?format=parts&client=a", "client"],
    ["events/stream?format=parts&partials=true", "partials"],
  ] as const) {
    const refused = await get(`/v1/sessions/${id}/${path}`)
    expect(refused.status, path).toBe(400)
    expect(await refused.json(), path).toMatchObject({ error: { type: "invalid_request_error", field } })
  }
})

it("a script's output is shown while it runs, also inside a subagent, and is not stored", async () => {
  const inside = scriptName("printed-inside")
  const outside = scriptName("printed")
  const script = (output: string) => call("Bash", { command: `echo ${output}; sleep 100`, description: "Wait" })
  await api.set(inside, [{ content: [script("inside")] }])
  const agent = { description: "Wait", prompt: promptFor(inside), subagent_type: "general-purpose" }
  await api.set(outside, [{ content: [call("Agent", agent)] }])
  const id = await perch.createSession({
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
  })
  const { body } = await get(`/v1/sessions/${id}/events/stream?format=parts`)
  await perch.submit(id, promptFor(outside))
  const shown: Array<{ readonly tool: string; readonly output: unknown; readonly id: string | undefined }> = []
  for await (const item of readSse(body!)) {
    if (item.kind === "comment") continue
    const { type, properties } = eventOf(item.frame)
    const part = properties["part"] as ToolPart | undefined
    if (type === "message.part.updated" && part?.type === "tool" && part.state.status === "running") {
      const output = part.state.metadata?.["output"]
      // If it is empty, nothing was printed yet.
      if (output !== undefined && output !== "") {
        shown.push({ tool: part.tool, output, id: item.frame.id })
        await perch.json("POST", `/v1/sessions/${id}/interrupt`, { json: {} })
      }
    }
    if (type === "session.idle" && shown.length > 0) break
  }
  expect(shown).toEqual([{ tool: "bash", output: "inside\n", id: undefined }])
  const pages = await (await get(`/v1/sessions/${id}/events?format=parts&limit=1000`)).text()
  expect(pages).toContain("echo inside")
  expect(pages).not.toContain('"truncated":false')
})

it("files that requests change outside of a turn are reported to those who listen, and stored nowhere", async () => {
  const name = scriptName("parts")
  await api.set(name, [textAnswer("Hello.")])
  const id = await perch.createSession({ enableFileCheckpointing: true })
  await perch.query(id, promptFor(name))
  const { checkpoints } = await perch.json<{ checkpoints: ReadonlyArray<string> }>(
    "GET",
    `/v1/sessions/${id}/checkpoints`,
  )
  const user_message_id = checkpoints[0]
  const { last_seq: last } = await perch.json<{ last_seq: number }>("GET", `/v1/sessions/${id}`)
  const { body } = await get(`/v1/sessions/${id}/events/stream?format=parts&after=${last}`)
  const files = `/v1/sessions/${id}/files/workspace`
  const changes: Array<unknown> = []
  for await (const item of readSse(body!)) {
    if (item.kind === "comment") continue
    const { type, properties } = eventOf(item.frame)
    if (type === "session.status") {
      // The reader has joined.
      await perch.request("PUT", `${files}/a%20b.txt`, { body: "one" })
      await perch.request("PUT", `${files}/a%20b.txt`, { body: "two" })
      await perch.request("DELETE", `${files}/a%20b.txt`)
      await perch.request("PUT", `${files}/c.txt`, { body: "one" })
      await perch.json("POST", `/v1/sessions/${id}/rewind`, { json: { user_message_id, dry_run: true } })
      await perch.json("POST", `/v1/sessions/${id}/rewind`, { json: { user_message_id } })
    }
    if (type !== "file.watcher.updated") continue
    expect([item.frame.id, properties["sessionID"]]).toEqual([undefined, id])
    changes.push([properties["event"], properties["file"]])
    if (changes.length === 5) break
  }
  const a = "/workspace/a b.txt"
  const c = "/workspace/c.txt"
  expect(changes).toEqual([
    ["add", a],
    ["change", a],
    ["unlink", a],
    ["add", c],
    ["unlink", c],
  ])
  expect(await perch.json("GET", `/v1/sessions/${id}`)).toMatchObject({ last_seq: last })
})
