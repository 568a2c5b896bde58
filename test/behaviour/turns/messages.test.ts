// GET …/messages returns what the model remembers, and the same from the log as from D1, however often D1 was written.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Message } from "../../../src/schemas/parts.ts"
import type { MessagesPage } from "../../../src/schemas/rpc/reports.ts"
import { headMovesOf } from "../../../src/session/storage/head.ts"
import type { OutboxCursors } from "../../../src/session/storage/meta.ts"
import { Outbox } from "../../../src/session/storage/outbox.ts"
import { placeOfMessage } from "../../../src/session/pages/message-place.ts"
import { newestMessages } from "../../../src/session/pages/newest-messages.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { flushToD1, rowsOf } from "../../../src/store/delivery/flush.ts"
import { storedMessages } from "../../../src/store/messages.ts"
import { partViewId } from "../../../src/views/parts/part-ids.ts"
import { PartsProjection, PROJECTION_VERSION } from "../../../src/views/parts/parts.ts"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { blocksOf, type Booted, eventsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { SqliteD1 } from "../../support/session/sqlite-d1.ts"
import { CONVERSATIONS, type Step } from "./conversation-table.ts"
import { NoWebhooks } from "../../support/session/webhooks.ts"

const sessions = loop()

const boot = (): Booted => {
  const harness = sessions.harnessOf()
  const booted = harness.boot()
  for (const name of ["a", "b"]) booted.workspace.writeBytes(`/workspace/${name}.txt`, name)
  return booted
}

const contentOf = (answer: string) =>
  answer
    .split(/ ?(?=!)/)
    .map((piece) =>
      piece.startsWith("!") ? call("Read", { file_path: `/workspace/${piece.slice(1)}.txt` }) : text(piece),
    )

const targetOf = ({ log }: Booted, step: Exclude<Step, { says: unknown }>): string => {
  const events = eventsOf(log)
  if ("afterPrompt" in step) return events.filter(({ name }) => name === "turn:queued")[step.afterPrompt]!.uuid
  if ("afterResult" in step) return events.filter(({ name }) => name === "sdk:user")[step.afterResult]!.uuid
  const wanted = step.after.startsWith("!") ? `/workspace/${step.after.slice(1)}.txt` : step.after
  return events.find((event) => event.name === "sdk:assistant" && JSON.stringify(blocksOf(event)[0]).includes(wanted))!
    .uuid
}

const take = async (booted: Booted, step: Step): Promise<void> => {
  if (!("says" in step)) {
    const refused = booted.session.resumption.resume({
      options: { permissionMode: "bypassPermissions" },
      at: targetOf(booted, step),
    })
    expect(refused).toBeUndefined()
    return
  }
  const name = scriptName("messages")
  sessions.api.set(
    name,
    step.says.map((answer) => ({ content: contentOf(answer) })),
  )
  prompt(booted.session, promptFor(name))
  await booted.idle()
}

/** D1 and the outbox that delivers a log to it; `restart()` is a new process with the same cursors. */
const delivery = ({ log, session }: Booted) => {
  const db = new SqliteD1()
  let cursors: OutboxCursors = { d1_seq: 0, queue_seq: 0, head_seq: 0 }
  const make = () =>
    new Outbox({
      tenant: "test",
      sessionId: SESSION_ID,
      db: db.d1,
      // The outbox uses this method of the queue.
      queue: { sendBatch: async () => undefined } as unknown as Queue,
      webhooks: new NoWebhooks(),
      isErased: () => false,
      lastSeq: () => log.lastSeq,
      read: (after, limit) => log.read({ after, limit, order: "asc" }).map(({ event }) => event),
      headMoves: () => headMovesOf(log),
      foldFrom: (seq) => session.inbox.firstOpenAt(seq) ?? seq + 1,
      info: () => session.info(),
      rests: () => undefined,
      hookSeqs: () => [],
      eventAt: () => undefined,
      copiedThrough: () => 0,
      load: () => cursors,
      save: (change) => {
        cursors = { ...cursors, ...change } as OutboxCursors // no change removes a cursor
      },
      now: () => 0,
    })
  let outbox = make()
  const rows = () => ["sessions", "messages", "parts", "costs"].map((table) => db.rows(table))
  return {
    db,
    rows,
    flush: () => outbox.flush(),
    isStored: () => outbox.isStored,
    restart: () => {
      outbox = make()
    },
    rewind: (earlier: OutboxCursors) => {
      cursors = earlier
    },
    cursors: () => cursors,
  }
}

interface PageQuery {
  readonly after?: string
  readonly limit: number
  readonly order?: "asc" | "desc"
}

const page = (booted: Booted, query: PageQuery): MessagesPage => {
  const read = query.order === "desc" ? newestMessages : messagesPage
  const got = read(booted.session, SESSION_ID, query)
  if ("refused" in got) throw new Error(got.refused.message)
  return got
}

/** Texts, calls and results, in the order in which the model receives them. */
const remembered = (booted: Booted): ReadonlyArray<string> =>
  booted.session.memory.transcript.messages().flatMap(({ content }) => {
    // A request's blocks.
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    return (blocks as ReadonlyArray<Record<string, unknown>>).flatMap((block) =>
      block.type === "text" ? [String(block.text)] : block.type === "tool_use" ? [String(block.id)] : [],
    )
  })

const shown = ({ messages }: MessagesPage): ReadonlyArray<string> =>
  (messages as ReadonlyArray<Message>).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : part.type === "tool" ? [part.callID] : [])),
  )

const names = Object.keys(CONVERSATIONS)

describe(`the messages of ${names.length} conversations`, () => {
  it.each(names)("%s: are what the model remembers, and every call in them is settled", async (name) => {
    const booted = boot()
    for (const step of CONVERSATIONS[name]!) {
      await take(booted, step)
      const all = page(booted, { limit: 500 })
      expect(shown(all)).toEqual(remembered(booted).filter((words) => !words.startsWith("<system-reminder>")))
      for (const { info, parts } of all.messages as ReadonlyArray<Message>) {
        if (info.role === "assistant") expect(info.time.completed).toBeDefined()
        for (const part of parts) if (part.type === "tool") expect(part.state.status).toMatch(/^(completed|error)$/)
      }
    }
  })

  it.each(names)("%s: a page after any message, read in any order, is what follows it", async (name) => {
    const booted = boot()
    for (const step of CONVERSATIONS[name]!) await take(booted, step)
    const { messages } = page(booted, { limit: 500 })
    const all = messages as ReadonlyArray<Message>
    const places = all.map((_, index) => (index * 7 + 3) % all.length)
    for (const at of [...places, ...all.keys()]) {
      const query = { after: all[at]?.info.id ?? "", limit: 2 }
      const rest = all.slice(at + 1)
      expect(page(booted, query)).toEqual({ messages: rest.slice(0, 2), has_more: rest.length > 2 })
      const next = rest[1]?.info.id
      if (rest.length > 2 && next !== undefined)
        expect(page(booted, { after: next, limit: 1 }).messages).toEqual(rest.slice(2, 3))
    }
  })

  it.each(names)("%s: the newest first, a page before any message is what precedes it", async (name) => {
    const booted = boot()
    for (const step of CONVERSATIONS[name]!) await take(booted, step)
    const newest = (page(booted, { limit: 500 }).messages as ReadonlyArray<Message>).toReversed()
    expect(page(booted, { limit: 500, order: "desc" })).toEqual({ messages: newest, has_more: false })
    for (const at of newest.keys()) {
      const rest = newest.slice(at + 1)
      const query = { after: newest[at]?.info.id ?? "", limit: 2, order: "desc" } as const
      expect(page(booted, query)).toEqual({ messages: rest.slice(0, 2), has_more: rest.length > 2 })
    }
  })

  it.each(names)("%s: are the same bytes from D1, page by page, written at once or step by step", async (name) => {
    const booted = boot()
    const [steps, once] = [delivery(booted), delivery(booted)]
    for (const [index, step] of CONVERSATIONS[name]!.entries()) {
      await take(booted, step)
      expect(steps.isStored()).toBe(false)
      if (index % 2 === 1) steps.restart()
      const before = steps.cursors()
      await steps.flush()
      if (index % 3 === 2) {
        steps.rewind(before)
        steps.restart()
        await steps.flush()
      }
      expect(steps.isStored()).toBe(true)
    }
    await once.flush()
    expect(steps.rows()).toEqual(once.rows())
    const pages = [1, 2, 500].flatMap((limit) => (["asc", "desc"] as const).map((order) => ({ limit, order })))
    for (const { limit, order } of pages) {
      for (let after: string | undefined; ;) {
        const query = { limit, order, ...(after === undefined ? {} : { after }) }
        const log = page(booted, query)
        const stored = await Effect.runPromise(storedMessages(once.db.d1, "test", SESSION_ID, query))
        // A body that D1 has truncated is complete only in the log.
        const place = after === undefined ? undefined : placeOfMessage(booted.log, after)
        if (place !== undefined)
          expect(await Effect.runPromise(storedMessages(once.db.d1, "test", SESSION_ID, { ...query, place }))).toEqual(
            stored,
          )
        expect(place === undefined).toBe(after === undefined)
        if (stored === null) expect(JSON.stringify(log).length).toBeGreaterThan(16_384)
        else expect(JSON.stringify(stored)).toBe(JSON.stringify(log))
        after = (log.messages.at(-1) as Message | undefined)?.info.id
        if (!log.has_more) break
      }
    }
  })
})

it("a prompt that waited when the head's position was logged is not in the conversation until its turn starts", async () => {
  const booted = boot()
  for (const words of ["one", "two"]) {
    const name = scriptName("waiting")
    sessions.api.set(name, [textAnswer(words)])
    prompt(booted.session, promptFor(name))
  }
  expect(page(booted, { limit: 10 }).messages).toHaveLength(2)
  await booted.idle()
  const { db, flush, rows } = delivery(booted)
  await flush()
  expect(db.rows("messages")).toHaveLength(4)
  await take(booted, { after: "one" })
  await flush()
  expect(shown(page(booted, { limit: 10 }))).toEqual(remembered(booted))
  expect(db.rows("messages")).toHaveLength(2)
  const again = delivery(booted)
  await again.flush()
  expect(again.rows()).toEqual(rows())
})

describe("messages in D1", () => {
  it("are not read from another session, from another tenant or after a message that does not exist", async () => {
    const booted = boot()
    const { db, flush } = delivery(booted)
    await take(booted, { says: ["one"] })
    await flush()
    const read = (tenant: string, id: string, after?: string) =>
      Effect.runPromise(storedMessages(db.d1, tenant, id, { limit: 10, ...(after === undefined ? {} : { after }) }))
    expect((await read("test", SESSION_ID))?.messages).toHaveLength(2)
    expect((await read("other", SESSION_ID))?.messages).toEqual([])
    expect((await read("test", crypto.randomUUID()))?.messages).toEqual([])
    expect(await read("test", SESSION_ID, "msg_none")).toBeNull()
  })

  it("that are no longer on the head's path do not return with a late delivery", async () => {
    const booted = boot()
    const { db, flush, rows } = delivery(booted)
    const [first, second, ...rest] = CONVERSATIONS["back to the first answer, and on"]!
    await take(booted, first!)
    await take(booted, second!)
    const early = eventsOf(booted.log)
    const late = rowsOf("test", booted.session.info(), early, new PartsProjection(SESSION_ID))
    for (const step of rest) await take(booted, step)
    await flush()
    const before = rows()
    expect(late.messages).toHaveLength(4)
    await Effect.runPromise(flushToD1(db.d1, late))
    expect(rows()).toEqual(before)
  })
})

it("rows that an earlier version wrote are rewritten at the next flush, and their ids stay valid", async () => {
  const booted = boot()
  const [conversation = []] = Object.values(CONVERSATIONS)
  for (const step of conversation) await take(booted, step)
  const { db, flush, isStored, rows, rewind, cursors } = delivery(booted)
  await flush()
  expect(isStored()).toBe(true)
  // As if the first version had written them: with other ids, and one more part.
  db.sqlite.exec("UPDATE messages SET id = 'msg_' || position")
  db.sqlite.exec("UPDATE parts SET id = 'prt_' || position, seq = seq + 1")
  const { projection_version: version, ...earlier } = cursors()
  expect(version).toBe(PROJECTION_VERSION)
  rewind(earlier)
  expect(isStored()).toBe(false)
  await take(booted, { says: ["again"] })
  await flush()
  const fresh = delivery(booted)
  await fresh.flush()
  expect(rows()).toEqual(fresh.rows())
  const all = page(booted, { limit: 500 }).messages as ReadonlyArray<Message>
  for (const event of eventsOf(booted.log)) {
    const at = all.findIndex(({ info }) => info.role === "assistant" && info.sdk.uuid === event.uuid)
    if (at < 0) continue
    const after = partViewId("msg", event, 0)
    expect(all[at]?.info.id).not.toBe(after)
    expect(page(booted, { after, limit: 500 }).messages).toEqual(all.slice(at + 1))
    const place = placeOfMessage(booted.log, after)
    expect(place).toBe(event.seq)
    const stored = await Effect.runPromise(
      storedMessages(fresh.db.d1, "test", SESSION_ID, { after, limit: 500, place: event.seq }),
    )
    expect(stored?.messages).toEqual(all.slice(at + 1))
  }
})
