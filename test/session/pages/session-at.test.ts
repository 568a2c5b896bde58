// A session as it was right after an event: its messages, todos, files, differences and costs.
import { describe, expect, it } from "vitest"
import { diffAt, filesPage, pastFile } from "../../../src/session/files/past-files.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { messagesResponse } from "../../../src/session/pages/messages-response.ts"
import { costAt, todosAt } from "../../../src/session/pages/session-at.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import { type Booted, SESSION_ID } from "../../support/session/session-harness.ts"
import { call, textAnswer } from "../../support/session/scripts.ts"
import { messagesOf, revert, reverting, todos, unrevert, write } from "../revert/reverting.ts"

const { started, run } = reverting()

const valueOf = <A>(value: A): Exclude<A, { refused: unknown }> => {
  if (isRefusal(value)) throw new Error(value.refused.message)
  // Anything that is not a refusal is the value.
  return value as Exclude<A, { refused: unknown }>
}

const messagesAt = ({ session }: Booted, at: number) =>
  valueOf(messagesPage(session, SESSION_ID, { limit: 1000, at })).messages

const pathsAt = ({ session }: Booted, at: number) =>
  valueOf(filesPage(session, { prefix: "/workspace", limit: 100, at }))
    .files.filter(({ type }) => type === "file")
    .map(({ path, size }) => [path, size])

const contentAt = async ({ session }: Booted, path: string, at: number) => {
  const url = new URL(`http://session/files${path}?at=${at}`)
  const response = pastFile(session, new Request(url), url)
  return [response.status, await response.text(), response.headers.get("perch-files-at")]
}

describe("a session as it was", () => {
  it("has the messages, todos and costs of that moment, whatever was reverted since", async () => {
    const { booted } = started()
    await run(booted, [{ content: [todos("sweep")] }, textAnswer("one")])
    const first = { seq: booted.log.lastSeq, messages: messagesOf(booted), todos: booted.session.todos() }
    const { requests } = booted.session.cost()
    const turn = await run(booted, [{ content: [todos("mop")] }, textAnswer("two")])
    const second = { seq: booted.log.lastSeq, messages: messagesOf(booted), todos: booted.session.todos() }
    revert(booted, { messageID: turn })
    const reverted = booted.log.lastSeq
    await run(booted, [textAnswer("three")])
    for (const { seq, messages, todos: listed } of [first, second]) {
      expect(messagesAt(booted, seq)).toEqual(messages)
      expect(valueOf(todosAt(booted.session, seq)).todos).toEqual(listed)
    }
    expect(messagesAt(booted, reverted)).toEqual(first.messages)
    expect(valueOf(costAt(booted.session, first.seq)).requests).toBe(requests)
    expect(valueOf(costAt(booted.session, booted.log.lastSeq))).toEqual(booted.session.cost())
  })

  it("can be paged from a message of that moment", async () => {
    const { booted } = started()
    for (const word of ["one", "two", "three"]) await run(booted, [textAnswer(word)])
    const { lastSeq: at } = booted.log
    const all = messagesOf(booted)
    revert(booted, { messageID: all[2]?.info.id ?? "" })
    const page = valueOf(messagesPage(booted.session, SESSION_ID, { limit: 2, at }))
    expect(page.has_more).toBe(true)
    const after = page.messages.at(-1)?.info.id ?? ""
    const next = valueOf(messagesPage(booted.session, SESSION_ID, { limit: 10, at, after }))
    expect([...page.messages, ...next.messages]).toEqual(all)
    expect(isRefusal(messagesPage(booted.session, SESSION_ID, { limit: 10, after: all[5]?.info.id ?? "" }))).toBe(true)
  })

  it("has the files of that moment: between turns the current ones, within a turn those of its last snapshot", async () => {
    const { booted } = started()
    await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("one")])
    const { lastSeq: first } = booted.log
    await run(booted, [
      { content: [write("/workspace/b/c.txt", "two!")] },
      { content: [call("Bash", { command: "rm a.txt", description: "Remove it" })] },
      textAnswer("two"),
    ])
    const second = booted.log.lastSeq
    await run(booted, [{ content: [write("/workspace/a.txt", "three")] }, textAnswer("three")])
    expect(pathsAt(booted, first)).toEqual([["/workspace/a.txt", 3]])
    expect(await contentAt(booted, "/workspace/a.txt", first)).toEqual([200, "one", String(first)])
    expect(pathsAt(booted, second)).toEqual([["/workspace/b/c.txt", 4]])
    expect((await contentAt(booted, "/workspace/a.txt", second))[0]).toBe(404)
    const snapshots = [...booted.log.all()].filter(({ event }) => event.name === "snapshot:taken")
    const between = snapshots[1]?.event.seq ?? 0
    expect(pathsAt(booted, between)).toEqual([
      ["/workspace/a.txt", 3],
      ["/workspace/b/c.txt", 4],
    ])
    expect(await contentAt(booted, "/workspace/b/c.txt", between + 1)).toEqual([200, "two!", String(between)])
    const changed = (at: number) => valueOf(diffAt(booted.session, { at })).files.map(({ file }) => file)
    expect(changed(between)).toEqual(["/workspace/a.txt", "/workspace/b/c.txt"])
    expect(changed(second)).toEqual(["/workspace/b/c.txt"])
  })

  it("has the files before and after a revert that restored them, and after an undone revert", async () => {
    const { booted } = started()
    const turn = await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("one")])
    const { lastSeq: before } = booted.log
    revert(booted, { messageID: turn, rewindFiles: true })
    const reverted = booted.log.lastSeq
    unrevert(booted)
    const restored = booted.log.lastSeq
    await run(booted, [{ content: [write("/workspace/a.txt", "other")] }, textAnswer("two")])
    expect(await contentAt(booted, "/workspace/a.txt", before)).toEqual([200, "one", String(before)])
    expect(pathsAt(booted, reverted)).toEqual([])
    expect(await contentAt(booted, "/workspace/a.txt", restored)).toEqual([200, "one", String(restored)])
  })

  it("is refused at a position that the log does not have", async () => {
    const { booted } = started()
    await run(booted, [textAnswer("one")])
    const { session, log } = booted
    for (const at of [0, -1, 1.5, Number.NaN, log.lastSeq + 1]) {
      const asked = messagesResponse(session, SESSION_ID, new URL(`http://session/messages?limit=1&at=${at}`))
      const answers = [todosAt(session, at), costAt(session, at), diffAt(session, { at }), asked]
      for (const answer of [...answers, filesPage(session, { prefix: "", limit: 1, at })])
        expect(answer).toMatchObject({ refused: { type: "invalid_request_error", field: "at" } })
      expect((await contentAt(booted, "/workspace/a.txt", at))[0]).toBe(400)
    }
  })
})
