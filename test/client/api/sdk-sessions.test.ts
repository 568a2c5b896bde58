// The session functions of the official SDK: each one works on its own, as the functions of the SDK's module do.
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
