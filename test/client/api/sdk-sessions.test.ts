// The session functions of the official SDK: each works on its own, as the functions of the SDK's module do, and returns the
// same messages.
import { expect, it } from "vitest"
import { perchSessions } from "../../../src/client/api/entry.ts"

const ID = "01a2012f-85fa-7000-8000-000000000001"
const TIME = "2026-01-01T00:00:00.000Z"
const session = {
  id: ID,
  title: "A title",
  cwd: "/workspace",
  metadata: {},
  turns: 1,
  created_at: TIME,
  updated_at: TIME,
}

const paths: Array<string> = []
const server = {
  url: "https://perch.test",
  apiKey: "key",
  fetch: (async (input) => {
    const { pathname } = new URL(input as string)
    paths.push(pathname)
    if (pathname.endsWith("/messages"))
      return Response.json({ messages: [], has_more: false, next_cursor: null, last_seq: 1 })
    if (pathname.endsWith("/events")) return Response.json({ events: [], has_more: false, last_seq: 1 })
    return Response.json(session)
  }) satisfies typeof fetch,
}

it("a function that is taken out of the object needs no `this`", async () => {
  const { getSessionMessages, listSubagents, getSubagentMessages } = perchSessions(server)
  expect(await getSessionMessages(ID, { dir: "/workspace" })).toEqual([])
  expect(await getSessionMessages(ID, { dir: "/elsewhere" })).toEqual([])
  expect(await listSubagents(ID)).toEqual([])
  expect(await getSubagentMessages(ID, "agent")).toEqual([])
  expect(new Set(paths)).toContain(`/v1/sessions/${ID}`)
})

it("a fork has neither the tag nor the archive mark of its session", async () => {
  const forks: Array<unknown> = []
  const { forkSession } = perchSessions({
    ...server,
    fetch: async (input, init) => {
      if (String(input).endsWith("/fork")) forks.push(JSON.parse(String(init?.body)))
      return Response.json({ ...session, metadata: { tag: "green", archived: "1", own: "kept" } })
    },
  })
  await forkSession(ID, { title: "B" })
  expect(forks).toEqual([{ title: "B", metadata: { own: "kept" } }])
})

it("a session that does not exist is not found in a directory either", async () => {
  const { deleteSession } = perchSessions({
    ...server,
    fetch: async () => Response.json({ type: "error", error: { type: "not_found_error" } }, { status: 404 }),
  })
  await expect(deleteSession(ID)).rejects.toThrow(/^Session \S+ not found$/)
  await expect(deleteSession(ID, { dir: "/a" })).rejects.toThrow("not found in project directory for /a")
})

const SESSION = "01a217b0-a996-7ef3-871f-52efef0d9e64"

const message = (type: "user" | "assistant", text: string, more: object = {}) => ({
  type,
  message: { role: type, content: [{ type: "text", text }] },
  parent_tool_use_id: null,
  session_id: SESSION,
  uuid: crypto.randomUUID(),
  ...more,
})

const boundary = { type: "system", subtype: "compact_boundary", session_id: SESSION, uuid: crypto.randomUUID() }

/** The functions over a server whose session has these messages, in pages of two. */
const sessionsWith = (messages: ReadonlyArray<object>) =>
  perchSessions({
    url: "http://perch.test",
    apiKey: "key",
    fetch: async (input) => {
      const after = Number(new URL(String(input)).searchParams.get("after") ?? 0)
      const more = messages.length > after + 2
      const page = {
        messages: messages.slice(after, after + 2),
        has_more: more,
        next_cursor: more ? String(after + 2) : null,
      }
      return new Response(JSON.stringify(page), { headers: { "content-type": "application/json" } })
    },
  })

const textsOf = (messages: ReadonlyArray<{ readonly message: unknown }>) =>
  messages.map(({ message: one }) => (one as ReturnType<typeof message>["message"]).content[0]?.text)

// As recorded: the official SDK's function reads only the main conversation of its transcript, without meta messages.
it("getSessionMessages leaves out messages of subagents, and those that were written for the model alone", async () => {
  const { getSessionMessages } = sessionsWith([
    message("user", "prompt"),
    message("assistant", "cut"),
    message("user", "Continue where you stopped.", { isSynthetic: true }),
    message("user", "a subagent's prompt", { parent_tool_use_id: "toolu_1" }),
    message("assistant", "a subagent's answer", { parent_tool_use_id: "toolu_1" }),
    message("assistant", "whole"),
  ])
  expect(textsOf(await getSessionMessages(SESSION))).toEqual(["prompt", "cut", "whole"])
  expect(textsOf(await getSessionMessages(SESSION, { offset: 1, limit: 2 }))).toEqual(["cut", "whole"])
})

it("getSessionMessages returns the summary of a compaction", async () => {
  const { getSessionMessages } = sessionsWith([
    message("user", "prompt"),
    boundary,
    message("user", "summary", { isSynthetic: true }),
    message("user", "Read the files again.", { isSynthetic: true }),
    message("assistant", "answer"),
  ])
  expect(textsOf(await getSessionMessages(SESSION))).toEqual(["prompt", "summary", "answer"])
  const all = await getSessionMessages(SESSION, { includeSystemMessages: true })
  expect(all.map(({ type }) => type)).toEqual(["user", "system", "user", "assistant"])
})
