// A long session that is compacted three times automatically: what the model is sent each time, and what clients have at the
// end.
import { expect, it } from "vitest"
import { eventsPage } from "../../../src/session/pages/events-page.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { loop, payloadsOf, textOf, type Turns } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { FULL, SMALL_WINDOW, summaryNaming } from "./compactions.ts"

const setting = loop()

const PHASES = 4
/** The number of turns until the conversation is full. */
const TURNS = 15

const question = (serial: number) => `question-${serial}.`
const answer = (serial: number) => `answer-${serial}.`

/**
 * A script for each part of the conversation between two summaries: one call and one answer per turn, the last of which fills
 * it.
 */
const scriptPhases = (): ReadonlyArray<string> => {
  const names = Array.from({ length: PHASES }, () => scriptName("phase"))
  for (const [phase, name] of names.entries()) {
    const turns = Array.from({ length: TURNS }, (_, at) => [
      { content: [call("Glob", { pattern: "*.txt" })] },
      textAnswer(answer(phase * TURNS + at), at === TURNS - 1 ? FULL : {}),
    ])
    // After a summary, the last answer before it comes first.
    const script = [...(phase === 0 ? [] : [textAnswer("unused")]), ...turns.flat()]
    setting.scripted({ turns: script, compact: summaryNaming(names[phase + 1] ?? "none") } as Turns, name)
  }
  return names
}

const missing = (shown: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from({ length: PHASES * TURNS }, (_, serial) => serial)
    .flatMap((serial) => [question(serial), answer(serial)])
    .filter((words) => shown.filter((one) => one.includes(words)).length !== 1)

const messagesOf = ({ session }: Booted): ReadonlyArray<string> => {
  const shown: Array<string> = []
  for (let after: string | undefined, more = true; more;) {
    const page = messagesPage(session, SESSION_ID, { limit: 25, ...(after === undefined ? {} : { after }) })
    if ("refused" in page) throw new Error(page.refused.message)
    shown.push(...page.messages.map((message) => JSON.stringify(message)))
    after = page.messages.at(-1)?.info.id
    more = page.has_more
  }
  return shown
}

const eventTexts = async ({ log }: Booted): Promise<ReadonlyArray<string>> => {
  const page = await eventsPage(log, new URL("http://s/events?after=0&limit=5000&order=asc")).json()
  const { events } = page as { events: ReadonlyArray<{ name: string }> } // the route's answer
  return events
    .filter(({ name }) => name === "turn:queued" || name === "sdk:assistant")
    .map((event) => JSON.stringify(event))
}

it("the model has the newest summary and nothing that it replaces; clients have everything", async () => {
  const names = scriptPhases()
  const harness = setting.harnessOf(SMALL_WINDOW)
  let booted = harness.boot()
  const turns: Array<string> = []
  for (let serial = 0; serial < PHASES * TURNS; serial += 1) {
    turns.push(prompt(booted.session, `${serial === 0 ? `${promptFor(names[0] ?? "")} ` : ""}${question(serial)}`))
    await booted.idle()
    // The server is restarted in the middle of each part.
    if (serial % TURNS !== 7) continue
    harness.crash()
    booted = harness.boot()
  }
  expect(problemsOf(eventsOf(booted.log), turns)).toEqual([])
  expect(payloadsOf(eventsOf(booted.log), "sdk:system/compact_boundary")).toHaveLength(PHASES - 1)
  for (const [phase, name] of names.entries()) {
    const requests = setting.messagesSent(name)
    // Two of each turn, and the one for the next summary.
    expect(requests).toHaveLength(2 * TURNS + (phase === PHASES - 1 ? 0 : 1))
    if (phase === 0) continue
    const first = requests[0]?.map(textOf) ?? []
    expect(first).toEqual([
      expect.stringContaining(`SUMMARY [[script:${name}]]`),
      answer(phase * TURNS - 1),
      question(phase * TURNS),
    ])
    expect(first[0]).not.toMatch(/question-|answer-/)
    const last = requests[2 * TURNS - 1]?.map(textOf).join("\n") ?? ""
    expect(last.match(/SUMMARY/g)).toHaveLength(1)
    expect(last.match(/question-\d+/g)).toHaveLength(TURNS)
  }
  expect(missing(messagesOf(booted))).toEqual([])
  expect(missing(await eventTexts(booted))).toEqual([])
})
