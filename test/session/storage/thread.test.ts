// The events of a subagent, read again from the log.
import { expect, it } from "vitest"
import { SessionLog } from "../../../src/session/storage/log.ts"
import { agentsOf } from "../../../src/session/storage/thread.ts"
import { BYPASS, loop } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()

it("the thread of an agent is read without the other events of the session", async () => {
  const harness = harnessOf({ ...BYPASS, agents: { helper: { description: "Helps.", prompt: "You help." } } })
  const { session, log, idle } = harness.boot()
  const inner = scripted([{ content: [call("Glob", { pattern: "*" })] }, textAnswer("Helped.")])
  const use = call("Agent", {
    description: "help",
    subagent_type: "helper",
    prompt: promptFor(inner),
    run_in_background: false,
  })
  const first = { content: [use] }
  prompt(session, promptFor(scripted([first, ...Array.from({ length: 10 }, () => textAnswer("Done."))])))
  await idle()
  for (let turn = 0; turn < 8; turn += 1) {
    prompt(session, "go on")
    await idle()
  }
  let rows = 0
  const sql = {
    exec: (query: string, ...bindings: ReadonlyArray<never>) => {
      rows += harness.twin.sql.exec(query, ...bindings).toArray().length
      return harness.twin.sql.exec(query, ...bindings)
    },
  }
  const { context } = session
  // The log reads through `exec` alone.
  const read = new SessionLog({ ...context, sql } as unknown as ConstructorParameters<typeof SessionLog>[0])
  rows = 0
  const source = agentsOf(read)
  const own = eventsOf(log).filter((event) => event.parent_tool_use_id === use.id)
  expect([...source.thread(use.id, log.lastSeq + 1)].map(({ event }) => event)).toEqual(own)
  expect(rows).toBe(own.length)
  const started = eventsOf(log).find(({ name }) => name === "agent:started")
  expect(source.started(started?.seq ?? 0)).toEqual(started?.payload)
  const middle = own[Math.floor(own.length / 2)]?.seq ?? 0
  expect([...source.thread(use.id, middle)].map(({ event }) => event.seq)).toEqual(
    own.map(({ seq }) => seq).filter((seq) => seq < middle),
  )
})
