// Conversations that are reverted, over the HTTP API and the portable client: what remains, how it is undone, and reading the
// past.
import { describe, expect, inject, it } from "vitest"
import {
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  perchClient,
  perchSessions,
} from "../../../src/client/api/entry.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const server = { url: shared.url, apiKey: shared.key }
const client = perchClient(server)
const api = new ApiLog(shared.apiUrl)

const scripted = async (...turns: ReadonlyArray<unknown>): Promise<string> => promptFor(await api.add("reverts", turns))

const write = (file: string, content: string) => ({ content: [call("Write", { file_path: file, content })] })

/** A session with two turns, each of which has written a file. */
const talked = async () => {
  const session = await client.createSession({ options: { permissionMode: "acceptEdits" } })
  await session.query(await scripted(write("/workspace/a.txt", "one"), textAnswer("One.")))
  const { last_seq: first } = await session.get()
  const { messages } = await session.messages()
  await session.query(await scripted(write("/workspace/b.txt", "two"), textAnswer("Two.")))
  return { session, first, length: messages.length }
}

const get = (path: string) =>
  fetch(`${shared.url}/v1/sessions/${path}`, { headers: { authorization: `Bearer ${shared.key}` } })

describe("a revert", () => {
  it("cuts the conversation before a prompt, with its files; an unrevert restores both until the next prompt", async () => {
    const { session, length } = await talked()
    const whole = (await session.messages()).messages
    // A prompt has one.
    const { uuid: second = "" } = whole[length] as { readonly uuid?: string }
    const { revert } = await session.revert(second, { rewindFiles: true })
    expect(revert?.messageID).toMatch(/^msg_/)
    expect(revert?.diff).toContain("b.txt")
    expect((await session.messages()).messages).toEqual(whole.slice(0, length))
    expect(await perchSessions(server).getSessionMessages(session.id)).toHaveLength(length)
    await expect(session.files.readText("/workspace/b.txt")).rejects.toThrow(NotFoundError)
    await expect(session.revert(second)).rejects.toThrow(NotFoundError)
    expect((await session.unrevert()).revert).toBeUndefined()
    expect((await session.messages()).messages).toEqual(whole)
    expect(await session.files.readText("/workspace/b.txt")).toBe("two")
    await session.revert(second)
    await session.query(await scripted(textAnswer("Three.")))
    await expect(session.unrevert()).rejects.toThrow(ConflictError)
    expect(JSON.stringify((await session.messages()).messages)).not.toContain("Two.")
  })

  it("is rejected by name if a field is invalid", async () => {
    const session = await client.createSession()
    for (const body of [{}, { messageID: "" }, { messageID: 1 }, { messageID: "m", more: true }]) {
      const response = await fetch(`${shared.url}/v1/sessions/${session.id}/revert`, {
        method: "POST",
        headers: { authorization: `Bearer ${shared.key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      expect(response.status).toBe(400)
    }
  })
})

describe("a past state of a session", () => {
  it("is read with at: messages, todos, files, differences and costs", async () => {
    const { session, first, length } = await talked()
    expect((await session.messages({ at: first })).messages).toHaveLength(length)
    expect(await session.todos({ at: first })).toEqual([])
    const { files, files_at } = await session.files.list({ prefix: "/workspace", at: first })
    expect([files.map(({ path }) => path), files_at]).toEqual([["/workspace/a.txt"], first])
    expect(await session.files.readText("/workspace/a.txt", { at: first })).toBe("one")
    await expect(session.files.readText("/workspace/b.txt", { at: first })).rejects.toThrow(NotFoundError)
    expect(await (await get(`${session.id}/diff?at=${first}`)).json()).toMatchObject({
      files: [{ file: "/workspace/a.txt" }],
      files_at: first,
    })
    expect(await (await get(`${session.id}/cost?at=${first}`)).json()).toMatchObject({ requests: 2 })
  })

  it("is refused if at is not a position of the log", async () => {
    const { session } = await talked()
    const { last_seq: last } = await session.get()
    for (const at of ["0", "-1", "1.5", "soon", "", String(last + 1), "9".repeat(20)])
      for (const path of ["messages", "todos", "files", "files/workspace/a.txt", "diff", "cost"]) {
        const response = await get(`${session.id}/${path}?at=${at}`)
        expect([path, at, response.status]).toEqual([path, at, 400])
        const { error } = (await response.json()) as { readonly error: { readonly message: string } }
        expect(error.message).toContain("at")
      }
    await expect(session.todos({ at: last + 1 })).rejects.toThrow(InvalidRequestError)
  })
})
