// Checks that everything in a session can be read through its routes.
import v8 from "node:v8"
import { expect } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { eventsPage } from "../../../src/session/pages/events-page.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { type Booted, SESSION_ID, type SessionHarness } from "../session/session-harness.ts"

export const pageOf = async ({ log }: Booted, after: number) => {
  const page = eventsPage(log, new URL(`http://session/events?after=${after}&limit=1000&order=asc`))
  // A page of the log itself.
  return (await page.json()) as { readonly events: ReadonlyArray<LogEvent>; readonly has_more: boolean }
}

/** Reads everything as routes do, through a clone as between the Worker and the object, in this process and the next. */
export const readable = async (session: Booted, harness: SessionHarness): Promise<void> => {
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
