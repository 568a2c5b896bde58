// Pages of events and messages: limited in bytes and complete when concatenated; a single larger item is returned on its own.
import { describe, expect, it, vi } from "vitest"
import { eventsPage } from "../../../src/session/pages/events-page.ts"
import { messagesResponse } from "../../../src/session/pages/messages-response.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import { partsToSdkMessages } from "../../../src/schemas/sdk/adapters/message-adapter.ts"
import { LAST_SEQ_HEADER, PAGE_BYTES } from "../../../src/views/parts/message-page.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { png } from "../../support/values/images.ts"
import { DONE, loop } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"

const { connected, scripted } = loop()

interface Page {
  readonly bytes: number
  readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Every page of a list, and whether another one follows. */
const pagesOf = async (
  ask: (cursor: string | null) => Response,
  list: string,
  cursorOf: (page: Readonly<Record<string, unknown>>, last: Readonly<Record<string, unknown>>) => unknown,
): Promise<ReadonlyArray<Page>> => {
  const pages: Array<Page> = []
  for (let cursor: string | null = null; ;) {
    const body = await ask(cursor).text()
    const page = JSON.parse(body) as Readonly<Record<string, unknown>>
    const items = page[list] as Page["items"]
    pages.push({ bytes: Buffer.byteLength(body), items })
    if (page["has_more"] !== true) return pages
    cursor = String(cursorOf(page, items.at(-1)!))
  }
}

const events = (booted: Booted, limit = 1000, order = "asc") =>
  pagesOf(
    (after) => eventsPage(booted.log, new URL(`http://s/events?after=${after ?? 0}&limit=${limit}&order=${order}`)),
    "events",
    (_, { seq }) => seq,
  )

const messages = (booted: Booted, format: "parts" | "sdk", limit = 500) =>
  pagesOf(
    (after) => {
      const query = `limit=${limit}&format=${format}&source=log${after === null ? "" : `&after=${after}`}`
      const page = messagesResponse(booted.session, SESSION_ID, new URL(`http://s/messages?${query}`))
      if (isRefusal(page)) throw new Error(page.refused.message)
      return page
    },
    "messages",
    ({ next_cursor }) => next_cursor,
  )

/** A session with six images, two of them read in one turn, and texts that are long in bytes and short in characters. */
const pictured = async () => {
  const session = await connected()
  const reads = Array.from({ length: 6 }, (_, index) => {
    session.workspace.writeBytes(`/workspace/${index}.png`, png(500_000, index + 1))
    return call("Read", { file_path: `/workspace/${index}.png` })
  })
  const turns = [reads.slice(0, 2), reads.slice(2, 3), reads.slice(3, 6)]
  for (const calls of turns) {
    prompt(session.session, `${promptFor(scripted([{ content: calls }, DONE]))} ${"語".repeat(300_000)}`)
    await session.idle()
  }
  return session
}

const whole = (booted: Booted) => eventsOf(booted.log).map((event) => booted.log.media.wholeValue(event))

describe("pages of events", () => {
  it("are within the limit or a single event, and together the log, in both orders", async () => {
    const session = await pictured()
    const log = whole(session)
    for (const order of ["asc", "desc"]) {
      const pages = await events(session, 1000, order)
      for (const { bytes, items } of pages) expect(bytes <= PAGE_BYTES + 64 * 1024 || items.length === 1).toBe(true)
      expect(pages.length).toBeGreaterThan(3)
      const all = pages.flatMap(({ items }) => items)
      expect(order === "asc" ? all : all.toReversed()).toEqual(log)
    }
  })

  it("end at the limit too, and has_more is true exactly when there is more", async () => {
    const session = await connected()
    prompt(session.session, promptFor(scripted([DONE])))
    await session.idle()
    const { lastSeq } = session.log
    for (const limit of [1, 2, 3, lastSeq - 1, lastSeq, lastSeq + 1]) {
      const pages = await events(session, limit)
      expect(pages.map(({ items }) => items.length)).toEqual(
        Array.from({ length: Math.ceil(lastSeq / limit) }, (_, page) => Math.min(limit, lastSeq - page * limit)),
      )
    }
  })

  it("of a log without events after the cursor are empty", async () => {
    const session = await connected()
    const page = eventsPage(session.log, new URL("http://s/events?after=1000&limit=10&order=asc"))
    expect(await page.json()).toEqual({ events: [], has_more: false, next_after: 1000, last_seq: session.log.lastSeq })
  })
})

describe("pages of messages", () => {
  it("are within the limit or a single message, and together the conversation, also as SDK messages", async () => {
    const session = await pictured()
    const parts = projectParts(SESSION_ID, whole(session))
    const all = JSON.parse(JSON.stringify(parts))
    const pages = await messages(session, "parts")
    for (const { bytes, items } of pages) expect(bytes <= PAGE_BYTES + 64 * 1024 || items.length === 1).toBe(true)
    expect(pages.length).toBeGreaterThan(2)
    expect(pages.flatMap(({ items }) => items)).toEqual(all)
    for (const limit of [1, 2, 3]) {
      expect((await messages(session, "parts", limit)).flatMap(({ items }) => items)).toEqual(all)
    }
    const withoutUuids = (value: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
      value.map(({ uuid: _, ...rest }) => rest)
    const sdk = partsToSdkMessages(parts, (piece) => piece)
    const sdkPages = await messages(session, "sdk")
    expect(withoutUuids(sdkPages.flatMap(({ items }) => items))).toEqual(withoutUuids(JSON.parse(JSON.stringify(sdk))))
  })

  it("read only the turns on them: after a message of the last turn, no event of an earlier one is read", async () => {
    const session = await connected()
    for (let left = 12; left > 0; left -= 1) {
      prompt(session.session, promptFor(scripted([DONE])))
      await session.idle()
    }
    const { log } = session
    const queued = eventsOf(log).findLast(({ name }) => name === "turn:queued")
    const ids = (await messages(session, "parts"))
      .flatMap(({ items }) => items)
      .map(({ info }) => info as { id: string })
    const all = vi.spyOn(log, "all")
    /** The reads of all events, not only of those with one name. */
    const reads = () => all.mock.calls.filter(([, match]) => match?.name === undefined)
    const after = ids.at(-2)?.id ?? ""
    const query = `limit=5&format=parts&source=log&after=${after}`
    const page = messagesResponse(session.session, SESSION_ID, new URL(`http://s/messages?${query}`))
    if (isRefusal(page)) throw new Error(page.refused.message)
    const rest = { messages: [{ info: ids.at(-1) }], has_more: false, last_seq: log.lastSeq }
    expect((await page.json()) as object).toMatchObject(rest)
    expect(reads()).toEqual([[(queued?.seq ?? 0) - 1]])
    // Reading all pages reads the log once.
    all.mockClear()
    expect((await messages(session, "parts", 3)).flatMap(({ items }) => items)).toHaveLength(ids.length)
    expect(reads()).toEqual([[0]])
  })

  it("that are read from D1 name the newest event of the log", async () => {
    const session = await connected()
    for (let left = 40; left > 0; left -= 1) {
      prompt(session.session, promptFor(scripted([DONE])))
      await session.idle()
    }
    vi.spyOn(session.session.outbox, "isStored", "get").mockReturnValue(true)
    const page = messagesResponse(session.session, SESSION_ID, new URL("http://s/messages?limit=5&order=desc"))
    if (isRefusal(page)) throw new Error(page.refused.message)
    expect([page.status, page.headers.get(LAST_SEQ_HEADER)]).toEqual([204, String(session.log.lastSeq)])
  })
})
