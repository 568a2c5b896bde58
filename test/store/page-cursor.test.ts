// Every list in D1: a cursor of its own is accepted, and that of any other list is refused by name.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { listApiKeys } from "../../src/store/api-keys.ts"
import { listAudit } from "../../src/store/audit.ts"
import { costsReport } from "../../src/store/costs.ts"
import { listDeadLetters, listHookEvents } from "../../src/store/hook-events.ts"
import { decodeCursor, encodeCursor } from "../../src/store/page-cursor.ts"
import { listRecordings } from "../../src/store/recordings.ts"
import { listSessions } from "../../src/store/sessions.ts"
import { listRuns } from "../../src/store/workflow-runs.ts"
import { SqliteD1 } from "../support/session/sqlite-d1.ts"
import { TENANT } from "./session-info.ts"

const { d1 } = new SqliteD1()
type List = (cursor: string) => Effect.Effect<unknown, { readonly message: string }>

const LISTS: Readonly<Record<string, List>> = {
  keys: (cursor) => listApiKeys(d1, { cursor, limit: 1 }),
  audit: (cursor) => listAudit(d1, { cursor, limit: 1 }),
  costs: (cursor) => costsReport(d1, TENANT, { cursor, limit: 1 }),
  hook_events: (cursor) => listHookEvents(d1, TENANT, { cursor, limit: 1 }),
  hook_dead_letters: (cursor) => listDeadLetters(d1, TENANT, { cursor, limit: 1 }),
  recordings: (cursor) => listRecordings(d1, TENANT, { cursor, limit: 1, tags: [] }),
  sessions: (cursor) => listSessions(d1, TENANT, { cursor, limit: 1 }),
  "sessions asc": (cursor) => listSessions(d1, TENANT, { cursor, limit: 1, order: "asc" }),
  "runs of a": (cursor) => listRuns(d1, { tenant: TENANT, workflow: "a" }, { cursor, limit: 1 }),
  "runs of b": (cursor) => listRuns(d1, { tenant: TENANT, workflow: "b" }, { cursor, limit: 1 }),
}

describe("a cursor", () => {
  it.each(Object.keys(LISTS))("of the list %s is accepted there and nowhere else", async (name) => {
    const cursor = encodeCursor(name, ["1795718595760", "s/1"])
    for (const [other, list] of Object.entries(LISTS)) {
      if (other === name) await Effect.runPromise(list(cursor))
      else {
        const error = await Effect.runPromise(Effect.flip(list(cursor)))
        expect(error.message).toBe("belongs to another list or order. Send the next_cursor of a page of this list.")
      }
    }
  })

  it("of an earlier version, which has no list, is still read", async () => {
    const cursor = btoa(JSON.stringify(["2026-01-01", "s1"]))
    expect(await Effect.runPromise(decodeCursor("sessions", cursor))).toEqual(["2026-01-01", "s1"])
  })
})
