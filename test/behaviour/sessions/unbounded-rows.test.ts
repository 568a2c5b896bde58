// Rows of a session that were written before values had limits: they are read with a placeholder for values that are too deep.
import { describe, expect, it } from "vitest"
import { LEFT_OUT } from "../../../src/schemas/bounded-json.ts"
import { Meta } from "../../../src/session/storage/meta.ts"
import { DONE, loop } from "../../support/session/loop.ts"
import { promptFor, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { pageOf, readable } from "../../support/values/readable-session.ts"

const { scripted, harnessOf } = loop()
/** A placeholder for a value in a frame. */
const HERE = "VALUE"

/** Checks that the session still works. */
const works = async (session: Booted): Promise<void> => {
  const turn = prompt(session.session, promptFor(scripted([DONE])))
  await session.idle()
  expect(problemsOf(eventsOf(session.log), [turn])).toEqual([])
}

describe("rows that were written before values had limits", () => {
  const DEEP = `${'{"a":'.repeat(3500)}1${"}".repeat(3500)}`

  it("are read with a placeholder for values that are too deep, and the session continues", async () => {
    const harness = harnessOf()
    const first = harness.boot()
    const turn = prompt(first.session, promptFor(scripted([textAnswer("Hello.")])))
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
