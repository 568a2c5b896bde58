// GET …/messages in both formats: the same conversation, page by page.
import { Result } from "effect"
import { expect, it } from "vitest"
import type { Message } from "../../../src/schemas/parts.ts"
import { decodeSdkMessage } from "../../../src/schemas/sdk/messages/messages.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"
import { makeApi } from "../../http/api.ts"

interface Page {
  readonly messages: ReadonlyArray<Record<string, unknown>>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

const conversation = (): ReadonlyArray<Message> => {
  const log = new TurnLog()
  for (const turn of [1, 2, 3]) {
    log.queued(`Question ${turn}`)
    log.init()
    log.block(
      `msg_${turn}`,
      { type: "thinking", thinking: "Hm.", signature: `sig${turn}` },
      { type: "text", text: "A" },
    )
    log.toolUse(`msg_${turn}`, `toolu_${turn}`, "Read", { file_path: "/workspace/a.txt" })
    log.call(`msg_${turn}`)
    log.toolResult(`toolu_${turn}`, "1\tone", { output: { type: "text" } })
    log.text(`msg_${turn}b`, `Answer ${turn}`)
    log.call(`msg_${turn}b`)
    log.result()
  }
  return projectParts(SESSION, log.events)
}

const TABLES = [
  {
    name: "messages",
    rows: (messages: ReadonlyArray<Message>, id: string) =>
      messages.map(({ info }, at) => ["root", id, at + 1, info.id, "t", info.role, 1, JSON.stringify(info)]),
  },
  {
    name: "parts",
    rows: (messages: ReadonlyArray<Message>, id: string) =>
      messages.flatMap(({ info, parts }, at) =>
        parts.map((part, place) => ["root", id, at + 1, place, part.id, info.id, part.type, 1, JSON.stringify(part)]),
      ),
  },
]

const open = async () => {
  const api = makeApi()
  const id = await api.create()
  const session = [...api.sessions.byName.values()].find((one) => one.id === id)!
  session.messages = conversation()
  const page = async (query: string): Promise<Page> => {
    const response = await api.call("GET", `/v1/sessions/${id}/messages${query}`)
    expect(response.status).toBe(200)
    return (await response.json()) as Page // as the contract says
  }
  return { api, id, session, page }
}

it("returns parts by default, and on request SDK messages, each of which decodes", async () => {
  const { session, page } = await open()
  const plain = await page("")
  const place = { has_more: false, next_cursor: null, last_seq: session.log.length }
  expect(plain).toEqual({ messages: JSON.parse(JSON.stringify(session.messages)), ...place })
  expect(await page("?format=parts")).toEqual(plain)
  const { messages, ...rest } = await page("?format=sdk")
  expect(rest).toEqual(place)
  expect(messages.map(({ type }) => type)).toEqual(
    [1, 2, 3].flatMap(() => ["user", "assistant", "assistant", "assistant", "user", "assistant"]),
  )
  expect(messages.slice(1, 5)).toMatchObject([
    { message: { content: [{ type: "thinking", thinking: "Hm.", signature: "sig1" }] } },
    { message: { content: [{ type: "text", text: "A" }] } },
    { message: { content: [{ type: "tool_use", id: "toolu_1", name: "Read" }] } },
    { message: { content: [{ type: "tool_result", tool_use_id: "toolu_1" }] }, tool_use_result: { type: "text" } },
  ])
  for (const message of messages) expect(Result.isSuccess(decodeSdkMessage(message))).toBe(true)
})

it("returns the same SDK messages, uuids included, in pages as all at once", async () => {
  const { page } = await open()
  const whole = await page("?format=sdk")
  expect(new Set(whole.messages.map(({ uuid }) => uuid)).size).toBe(whole.messages.length)
  const pieces: Array<unknown> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const next = await page(`?format=sdk&limit=2${cursor === "" ? "" : `&after=${cursor}`}`)
    expect(next.has_more).toBe(next.next_cursor !== null)
    pieces.push(...next.messages)
    cursor = next.next_cursor
  }
  expect(pieces).toEqual(whole.messages)
})

it("rejects an unknown format", async () => {
  const { api, id } = await open()
  const { error } = await api.refused(400, "GET", `/v1/sessions/${id}/messages?format=markdown`)
  expect(error.field).toBe("format")
})

it("of a session that D1 has completely are read from D1, and from the log when D1 fails or has truncated one", async () => {
  const { api, id, session, page } = await open()
  const queries = [
    "",
    "?limit=1",
    "?limit=2&format=sdk",
    `?after=${session.messages[2]!.info.id}&limit=3`,
    "?format=sdk",
  ]
  const fromLog = await Promise.all(queries.map(page))
  const { sqlite } = api.database
  for (const { name, rows } of TABLES) {
    for (const row of rows(session.messages, id)) {
      sqlite.prepare(`INSERT INTO ${name} VALUES (${row.map(() => "?").join(", ")})`).run(...row)
    }
  }
  session.stored = true
  const whole = session.messages
  session.messages = []
  expect(await Promise.all(queries.map(page))).toEqual(fromLog)
  session.messages = whole
  sqlite.exec(`UPDATE parts SET part = json_set(part, '$.truncated', json('true')) WHERE message_position = 6`)
  expect(await Promise.all(queries.map(page))).toEqual(fromLog)
  sqlite.exec("DROP TABLE parts")
  expect(await Promise.all(queries.map(page))).toEqual(fromLog)
})
