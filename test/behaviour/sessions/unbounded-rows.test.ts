// Rows of a session that were written before values had bounds: they are read with a mark in the place of what is too deep.
import v8 from "node:v8"
import { describe, expect, it } from "vitest"
import { LEFT_OUT } from "../../../src/schemas/bounded-json.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { Meta } from "../../../src/session/storage/meta.ts"
import { eventsPage } from "../../../src/session/pages/events-page.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { DONE, loop } from "../../support/session/loop.ts"
import { promptFor, text } from "../../support/session/scripts.ts"
import {
  type Booted,
  eventsOf,
  problemsOf,
  prompt,
  SESSION_ID,
  type SessionHarness,
} from "../../support/session/session-harness.ts"

const { scripted, harnessOf } = loop()
/** Marks the place of a value in a frame. */
const HERE = "VALUE"

const pageOf = async ({ log }: Booted, after: number) => {
  const page = eventsPage(log, new URL(`http://session/events?after=${after}&limit=1000&order=asc`))
  // The log's own page.
  return (await page.json()) as { readonly events: ReadonlyArray<LogEvent>; readonly has_more: boolean }
}

/** Reads everything as routes do, through a clone as between the Worker and the object, in this process and the next. */
const readable = async (session: Booted, harness: SessionHarness): Promise<void> => {
  for (const next of [() => session, () => harness.boot()]) {
    const open = next()
    await open.idle()
    let after = 0
    for (let more = true; more;) {
      const page = await pageOf(open, after)
      after = page.events.at(-1)?.seq ?? after
      more = page.has_more
    }
    expect(after).toBe(open.log.lastSeq)
    v8.serialize(messagesPage(open.session, SESSION_ID, { limit: 500 }))
    v8.serialize(open.session.askStore.open.map(({ ask }) => ask))
    expect(open.session.memory.transcript.messages().length).toBeGreaterThan(0)
  }
}

/** The session works on. */
const works = async (session: Booted): Promise<void> => {
  const turn = prompt(session.session, promptFor(scripted([DONE])))
  await session.idle()
  expect(problemsOf(eventsOf(session.log), [turn])).toEqual([])
}

describe("rows that were written before there were bounds", () => {
  const DEEP = `${'{"a":'.repeat(3500)}1${"}".repeat(3500)}`

  it("are read with a mark in the place of what is too deep, and the session goes on", async () => {
    const harness = harnessOf()
    const first = harness.boot()
    const turn = prompt(first.session, promptFor(scripted([{ content: [text("Hello.")] }])))
    await first.idle()
    const seq = first.log.lastSeq
    const message = {
      id: "msg_old",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: "toolu_old", name: "Read", input: HERE }],
    }
    const rows: ReadonlyArray<readonly [name: string, json: string]> = [
      [
        "sdk:assistant",
        JSON.stringify({ type: "assistant", message, session_id: SESSION_ID, uuid: crypto.randomUUID() }),
      ],
      [
        "sdk:user",
        JSON.stringify({
          type: "user",
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_old", content: "x" }] },
          tool_use_result: HERE,
        }),
      ],
      ["hook:fired", JSON.stringify({ hook_event_name: "PreToolUse", input: { tool_input: HERE }, outcome: HERE })],
    ]
    rows.forEach(([name, json], index) =>
      harness.twin.sql.exec(
        "INSERT INTO events (seq, name, uuid, turn, parent, at, stored, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        seq + 1 + index,
        name,
        crypto.randomUUID(),
        turn,
        null,
        0,
        0,
        json.replaceAll(`"${HERE}"`, DEEP),
      ),
    )
    expect(new Meta(harness.twin.sql).get("session")).toBeDefined()
    const next = harness.boot()
    const { events } = await pageOf(next, seq)
    expect(events.map(({ name }) => name)).toEqual(rows.map(([name]) => name))
    for (const { payload } of events) expect(JSON.stringify(payload)).toContain(LEFT_OUT)
    await works(next)
    await readable(next, harness)
  })
})
