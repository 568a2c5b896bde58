// Conversations that are being compacted while the server is killed: one by its command, one because its window is full. For
// restart.test.ts.
import { expect } from "vitest"
import { perchSessions } from "../../../src/client/api/entry.ts"
import type { ApiLog } from "../../support/session/api-log.ts"
import { type Event, eventually, type PerchClient } from "../../support/server/client.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"

const says = (value: string, usage: Readonly<Record<string, number>> = {}) => ({ content: [text(value)], usage })
const FULL = { input_tokens: 98_000, output_tokens: 100 }
const ANSWERS = ["first answer", "second answer"]

/** Starts them; call the returned function when the server runs again. */
export const openCompactions = async (perch: PerchClient, api: ApiLog): Promise<() => Promise<void>> => {
  const begun = await Promise.all(["/compact", "go on"].map((last) => openCompaction(perch, api, last)))
  return async () => {
    await Promise.all(begun.map((expectOnce) => expectOnce()))
  }
}

const openCompaction = async (perch: PerchClient, api: ApiLog, last: string): Promise<() => Promise<void>> => {
  const [script, behind] = [scriptName("compacted"), scriptName("behind")]
  const summary = says(`<summary>SUMMARY [[script:${behind}]]</summary>`)
  await api.set(script, {
    turns: [says(ANSWERS[0]!), says(ANSWERS[1]!, last === "/compact" ? {} : FULL)],
    compact: [{ ...summary, hold: {} }, summary],
  })
  await api.set(behind, [says("after the summary")])
  const id = await perch.createSession({ settings: { autoCompactWindow: 100_000 } })
  await perch.query(id, promptFor(script))
  await perch.query(id, "two")
  await perch.submit(id, last)
  const summaries = async () => (await api.requestsOf([script])).filter(({ kind }) => kind === "compact")
  await eventually(async () => ((await summaries()).length === 1 ? true : undefined))

  return async () => {
    const events = await perch.eventsUntilResults(id, 3)
    expect(named(events, "sdk:result/success")).toHaveLength(3)
    expect(named(events, "sdk:system/compact_boundary")).toHaveLength(1)
    expect(named(events, "conversation:restarted")).toHaveLength(1)
    expect(await summaries()).toHaveLength(2)
    const shown = events.filter(({ name, payload }) => name === "sdk:user" && payload["isSynthetic"] === true)
    expect(shown).toHaveLength(1)

    const { messages } = await perch.json<{ messages: ReadonlyArray<object> }>(
      "GET",
      `/v1/sessions/${id}/messages?format=sdk`,
    )
    const listed = await perchSessions({ url: perch.url, apiKey: perch.key }).getSessionMessages(id)
    for (const list of [messages, listed]) {
      const history = list.map((message) => JSON.stringify(message))
      const times = [...ANSWERS, "SUMMARY"].map((words) => history.filter((message) => message.includes(words)).length)
      expect(times).toEqual([1, 1, 1])
    }

    expect((await perch.query(id, "three")).at(-1)).toMatchObject({ subtype: "success", result: "after the summary" })
    const sent = (await api.requests(behind)).at(-1)!.body.messages.map((message) => JSON.stringify(message))
    expect(sent[0]).toContain("SUMMARY")
    expect(sent.join("\n")).not.toContain(ANSWERS[0])
    expect(sent[1]).toContain(ANSWERS[1])
    expect(sent.at(-1)).toContain("three")
  }
}

const named = (events: ReadonlyArray<Event>, name: string) => events.filter((event) => event.name === name)
