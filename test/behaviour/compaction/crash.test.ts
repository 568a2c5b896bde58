// A session that is interrupted during a compaction: one summary, nothing lost, one result.
import { expect, it } from "vitest"
import { loop, payloadsOf, textOf, until } from "../../support/session/loop.ts"
import { promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { blocksOf, eventsOf, problemsOf, prompt, type SessionHarness } from "../../support/session/session-harness.ts"
import { lifecycleOf } from "../prompts/busy-sessions.ts"
import { FULL, SMALL_WINDOW, summaryNaming } from "./compactions.ts"

const setting = loop()

/** The last prompt compacts: as the command, or because the answer before it filled the window. */
const played = async (harness: SessionHarness, last: string, dieAfter: number) => {
  const behind = scriptName("behind")
  const full = last === "/compact" ? {} : FULL
  const script = setting.scripted({
    turns: [textAnswer("first answer"), textAnswer("second answer", full)],
    compact: summaryNaming(behind),
  })
  setting.scripted([textAnswer("after the summary")], behind)
  const opened = harness.boot()
  const turns = []
  for (const words of [promptFor(script), "two"]) {
    turns.push(prompt(opened.session, words))
    await opened.idle()
  }
  harness.dieAfter = harness.transactions + dieAfter
  const named = prompt(opened.session, last, {}, { acknowledge: true })
  turns.push(named)
  await opened.idle()
  const died = harness.transactions >= harness.dieAfter
  harness.crash()
  const again = harness.boot()
  await again.idle()
  turns.push(prompt(again.session, "three"))
  await again.idle()
  const events = eventsOf(again.log)
  return { died, turns, events, behind, states: lifecycleOf(events, named) }
}

it.each(["/compact", "go on"])(
  "%s: killed after any transaction, the conversation is compacted once",
  async (last) => {
    // The first transaction queues the prompt.
    for (let dieAfter = 2; ; dieAfter += 1) {
      const { died, turns, events, behind, states } = await played(setting.harnessOf(SMALL_WINDOW), last, dieAfter)
      expect(problemsOf(events, turns)).toEqual([])
      expect(states).toEqual(["queued", "started", "completed"])
      expect(payloadsOf(events, "sdk:system/compact_boundary")).toHaveLength(1)
      expect(payloadsOf(events, "conversation:restarted")).toHaveLength(1)
      const answers = events.flatMap((event) => (event.name === "sdk:assistant" ? blocksOf(event) : []))
      expect(answers.slice(0, 2)).toMatchObject([{ text: "first answer" }, { text: "second answer" }])
      const sent = setting.messagesSent(behind).at(-1) ?? []
      expect(textOf(sent[0])).toContain("SUMMARY")
      expect(textOf(sent.at(-1))).toBe("three")
      const paid = events.reduce(
        (sum, { name, payload }) => sum + (name === "call:finished" ? (payload as { usd: number }).usd : 0),
        0,
      )
      expect(payloadsOf(events, "sdk:result/success").at(-1)?.["total_cost_usd"]).toBeCloseTo(paid, 12)
      if (!died) {
        expect(dieAfter).toBeGreaterThan(3)
        return
      }
    }
  },
  60_000,
)

it("stopped during the compaction, the conversation is unchanged", async () => {
  const opened = await setting.connected()
  const script = setting.scripted({
    turns: [textAnswer("first answer"), textAnswer("second answer"), textAnswer("third answer")],
    compact: { ...textAnswer("<summary>late</summary>"), hold: { gate: "never" } },
  })
  const turns = []
  for (const words of [promptFor(script), "two"]) {
    turns.push(prompt(opened.session, words))
    await opened.idle()
  }
  turns.push(prompt(opened.session, "/compact"))
  await until(() => setting.messagesSent(script).length === 3)
  await opened.stopTurn()
  turns.push(prompt(opened.session, "three"))
  await opened.idle()
  const events = eventsOf(opened.log)
  expect(payloadsOf(events, "conversation:restarted")).toEqual([])
  expect(setting.messagesSent(script).at(-1)?.map(textOf).slice(0, 4)).toEqual([
    promptFor(script),
    "first answer",
    "two",
    "second answer",
  ])
  expect(payloadsOf(events, "sdk:system/status").at(-1)).toMatchObject({ status: null, compact_result: "failed" })
  expect(problemsOf(events, turns)).toEqual([])
  expect(payloadsOf(events, "sdk:result/success")[2]).toMatchObject({ local_command: "compact", num_turns: 0 })
})
