// Prompts that are queued behind a turn: what the pages of messages, the stream, D1 and a fork contain of them while they wait,
// when they are withdrawn, and when their turns start.
import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import type { Message } from "../../../src/schemas/parts.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { newestMessages } from "../../../src/session/pages/newest-messages.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import { storedMessages } from "../../../src/store/messages.ts"
import { shownMessages } from "../../../src/views/parts/message-page.ts"
import { loop } from "../../support/session/loop.ts"
import { promptFor, textAnswer } from "../../support/session/scripts.ts"
import { prompt, SESSION_ID, type SessionHarness } from "../../support/session/session-harness.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { BusClient, byId } from "../../support/views/bus-client.ts"
import { FactsReader } from "../../support/views/facts-reader.ts"
import { busySessions } from "../prompts/busy-sessions.ts"

const made = loop()
const { inMidTool } = busySessions(made)

type Session = Awaited<ReturnType<typeof inMidTool>>

interface Asked {
  readonly at?: number
  readonly order?: "asc" | "desc"
  readonly limit?: number
}

/** All messages, read by pages of this size. */
const pages = ({ session }: Pick<Session, "session">, { at, order = "asc", limit = 500 }: Asked = {}) => {
  const read = order === "desc" ? newestMessages : messagesPage
  const all: Array<Message> = []
  for (let after: string | undefined; ;) {
    const place = { ...(at === undefined ? {} : { at }), ...(after === undefined ? {} : { after }) }
    const page = read(session, SESSION_ID, { limit, ...place })
    if (isRefusal(page)) throw new Error(page.refused.message)
    all.push(...page.messages)
    after = page.messages.at(-1)?.info.id
    if (!page.has_more) return all
  }
}

/** The text of each prompt, with `?` before the queued ones. */
const prompts = (messages: ReadonlyArray<Message>) =>
  messages.flatMap(({ info, parts: [part] }) => {
    if (info.role !== "user" || part?.type !== "text" || part.synthetic === true) return []
    return [`${info.sdk?.queued === true ? "?" : ""}${part.text.replace(/^\[\[script:.*?\]\] go /, "")}`]
  })

const says = (words: string): string => `${promptFor(made.scripted([textAnswer("Yes.")]))} ${words}`

/** The messages of a reader that reads everything after `after`, merged with those it had before. */
const readFrom = async (harness: SessionHarness, after: number, client = new BusClient()) => {
  const lines = harness.view({ after, facts: true })
  await vi.waitFor(() => expect(lines.some(({ name }) => name === "feed:live")).toBe(true))
  return client.take((await FactsReader.open("parts", after)).take(lines).frames)
}

/** A session in the middle of a call, with three queued prompts of which the second is withdrawn. */
const withTakenBack = async () => {
  const busy = await inMidTool()
  const live = busy.harness.view({ after: 0, facts: true })
  const [first, taken, last] = ["one", "two", "three"].map((words) => prompt(busy.session, says(words)))
  const waiting = busy.log.lastSeq
  return { ...busy, live, first: first!, taken: taken!, last: last!, waiting }
}

describe("a prompt that is withdrawn before its turn starts", () => {
  it("is in no page, of any size and in any order, and its ids still refer to the same position", async () => {
    const busy = await withTakenBack()
    const running = prompts(pages(busy)).slice(0, 1)
    expect(prompts(pages(busy))).toEqual([...running, "?one", "?two", "?three"])
    busy.session.prompts.cancelQueued(busy.taken)
    const check = (expected: ReadonlyArray<string>) => {
      const whole = pages(busy)
      expect(prompts(whole)).toEqual([...running, ...expected])
      expect(whole).toEqual(projectParts(SESSION_ID, busy.events()))
      for (const limit of [1, 2, 3]) {
        expect(pages(busy, { limit })).toEqual(whole)
        expect(pages(busy, { limit, order: "desc" })).toEqual(whole.toReversed())
      }
      const sdk = shownMessages(SESSION_ID, { messages: whole, has_more: false, last_seq: 1 }, true)
      expect(JSON.stringify(sdk)).not.toMatch(/two|queued/)
    }
    check(["?one", "?three"])
    busy.release()
    await busy.idle()
    check(["one", "three"])
    expect(prompts(pages(busy, { at: busy.waiting }))).toEqual([...running, "?one", "?two", "?three"])
    expect(prompts(pages(busy, { at: busy.waiting + 1, limit: 1, order: "desc" }))).toEqual(
      [...running, "?one", "?three"].toReversed(),
    )
  })

  it("is still a valid cursor, in both orders", async () => {
    const busy = await withTakenBack()
    const before = pages(busy)
    const cursor = before.find(({ info }) => info.role === "user" && info.sdk?.uuid === busy.taken)?.info.id ?? ""
    busy.session.prompts.cancelQueued(busy.taken)
    const rest = () => pages(busy).filter(({ info }) => info.id > cursor)
    const earlier = () => pages(busy).filter(({ info }) => info.id < cursor)
    const behind = (read: typeof messagesPage) => read(busy.session, SESSION_ID, { after: cursor, limit: 500 })
    const check = () => {
      expect(behind(messagesPage)).toEqual({ messages: rest(), has_more: false })
      expect(behind(newestMessages)).toEqual({ messages: earlier().toReversed(), has_more: false })
    }
    check()
    expect(prompts(rest())).toEqual(["?three"])
    busy.release()
    await busy.idle()
    check()
    expect(messagesPage(busy.session, SESSION_ID, { after: cursor, limit: 500, at: busy.waiting + 1 })).toMatchObject({
      messages: [{ info: { sdk: { uuid: busy.last } } }],
    })
  })

  it("is removed on the stream, both live and for readers that resume at any position", async () => {
    const busy = await withTakenBack()
    busy.session.prompts.cancelQueued(busy.taken)
    const now = await FactsReader.open("parts")
    expect(new BusClient().take(now.take(busy.live).frames).messages()).toEqual(byId(pages(busy)))
    expect((await readFrom(busy.harness, 0)).messages()).toEqual(byId(pages(busy)))
    busy.release()
    await busy.idle()
    const whole = byId(pages(busy))
    expect((await readFrom(busy.harness, 0)).messages()).toEqual(whole)
    for (const [cut, { name }] of busy.live.entries()) {
      // Streaming events are tested elsewhere.
      if (!name.startsWith("turn:") && cut % 6 !== 0) continue
      const left = (await FactsReader.open("parts")).take(busy.live.slice(0, cut))
      const after = left.cursor === "head" ? 0 : left.cursor
      const client = await readFrom(busy.harness, after, new BusClient().take(left.frames))
      expect(client.messages(), `behind line ${cut}`).toEqual(whole)
    }
  })

  it("is not in the conversation that another process reads", async () => {
    const busy = await withTakenBack()
    busy.session.prompts.cancelQueued(busy.taken)
    busy.release()
    await busy.idle()
    const whole = pages(busy)
    busy.harness.crash()
    expect(pages(busy.harness.boot())).toEqual(whole)
  })

  it.each(["interrupt", "end_session"] as const)("is removed together with all queued ones, by %s", async (subtype) => {
    const busy = await withTakenBack()
    const running = prompts(pages(busy)).slice(0, 1)
    const asked = busy.client.request(subtype, subtype === "interrupt" ? { cancel_queued: true } : {})
    busy.release()
    await asked
    await busy.idle()
    expect(prompts(pages(busy))).toEqual(running)
    expect((await readFrom(busy.harness, 0)).messages()).toEqual(byId(pages(busy)))
  })
})

describe("in D1", () => {
  const rowsOf = ({ harness }: Session) => ["messages", "parts"].map((table) => harness.database.rows(table))
  const stored = async ({ harness }: Session): Promise<unknown> =>
    (await Effect.runPromise(storedMessages(harness.database.d1, "test", SESSION_ID, { limit: 500 })))?.messages

  it("a prompt gets its rows when its turn starts, and until then pages are read from the log", async () => {
    const busy = await withTakenBack()
    await busy.outbox.flush()
    expect(prompts((await stored(busy)) as ReadonlyArray<Message>)).toHaveLength(1)
    expect(busy.outbox.isStored).toBe(false)
    busy.session.prompts.cancelQueued(busy.taken)
    await busy.outbox.flush()
    expect(busy.outbox.isStored).toBe(false)
    busy.session.prompts.cancelQueued()
    await busy.outbox.flush()
    expect(busy.outbox.isStored).toBe(true)
    expect(await stored(busy)).toEqual(pages(busy))
    busy.release()
    await busy.idle()
    await busy.outbox.flush()
    expect(busy.outbox.isStored).toBe(true)
    expect(await stored(busy)).toEqual(pages(busy))
  })

  it("the rows of prompts that wait, join or are withdrawn are the same however often they are written", async () => {
    const busy = await inMidTool()
    const joins = { mayJoin: true } as const
    for (const [words, manner] of [
      ["joins", joins],
      ["taken", undefined],
      ["waits", undefined],
    ] as const) {
      const turn = prompt(busy.session, says(words), {}, manner)
      await busy.outbox.flush()
      if (words === "taken") busy.session.prompts.cancelQueued(turn)
      await busy.outbox.flush()
    }
    busy.release()
    await busy.idle()
    await busy.outbox.flush()
    const written = rowsOf(busy)
    expect(prompts(pages(busy)).slice(1)).toEqual(["joins", "waits"])
    expect(await stored(busy)).toEqual(pages(busy))
    await busy.outbox.rebuild()
    expect(rowsOf(busy)).toEqual(written)
  })
})

it("a prompt that joins a turn stays where it was sent, and is no longer queued", async () => {
  const busy = await inMidTool()
  const live = busy.harness.view({ after: 0, facts: true })
  prompt(busy.session, "and be quick", {}, { mayJoin: true })
  expect(prompts(pages(busy)).at(-1)).toBe("?and be quick")
  busy.release()
  await busy.idle()
  expect(prompts(pages(busy)).at(-1)).toBe("and be quick")
  expect(new BusClient().take((await FactsReader.open("parts")).take(live).frames).messages()).toEqual(
    byId(pages(busy)),
  )
})
