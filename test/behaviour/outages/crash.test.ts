// A process that dies after any transaction: the next one brings every turn to exactly one result.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { blocksOf, eventsOf, problemsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"
import { runKilled } from "../../support/values/killed.ts"

let api: ScriptedApi

beforeAll(async () => {
  api = await createFakeApi()
})

afterAll(() => api.close())

const BYPASS = { permissionMode: "bypassPermissions" } as const

/**
 * Runs the script, kills the process after `dieAfter` transactions, and restarts it until the turn ends. Returns false once
 * the turn ended before that.
 */
const runWithDeath = async (script: string, dieAfter: number, options: object, answer?: object) => {
  const harness = new SessionHarness(api.url, options)
  const killed = await runKilled(harness, dieAfter, ({ session }) => prompt(session, promptFor(script)))
  const { begun: turn, booted, died } = killed
  for (const ask of booted.session.askStore.open) {
    if (answer !== undefined) booted.session.asks.answer(ask.requestId, { ...answer })
  }
  await booted.idle()
  const events = eventsOf(booted.log)
  const file = booted.workspace.exists("/workspace/f") ? booted.workspace.readText("/workspace/f") : null
  await harness.dispose()
  return { died, events, problems: problemsOf(events, [turn]), file }
}

const SCRIPTS = {
  text: { turns: [textAnswer("Hello there, this is a plain answer.")], options: {} },
  tools: {
    turns: [
      {
        content: [
          { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
          text("I will look."),
          call("Bash", { command: "echo x >> f", description: "Append" }),
          call("Read", { file_path: "/workspace/f" }),
          call("Glob", { pattern: "**/*" }),
        ],
      },
      { content: [call("TodoWrite", { todos: [{ content: "a", status: "pending", activeForm: "doing a" }] })] },
      textAnswer("Done."),
    ],
    options: BYPASS,
  },
  edit: {
    turns: [
      { content: [call("Write", { file_path: "/workspace/f", content: "y\n" })] },
      { content: [call("Edit", { file_path: "/workspace/f", old_string: "y", new_string: "x" })] },
      textAnswer("Done."),
    ],
    options: BYPASS,
  },
  question: {
    turns: [{ content: [call("Write", { file_path: "/workspace/f", content: "x\n" })] }, textAnswer("Done.")],
    options: {},
    answer: { behavior: "allow" },
  },
} as const

describe.each(Object.entries(SCRIPTS))("a turn with %s", (name, script) => {
  it("ends in one result, with one result for every call, wherever the process dies", async () => {
    let deaths = 0
    for (let dieAfter = 1; ; dieAfter += 1) {
      api.set(name, [...script.turns])
      const run = await runWithDeath(name, dieAfter, script.options, "answer" in script ? script.answer : undefined)
      expect(run.problems, `death after transaction ${dieAfter}`).toEqual([])
      expect(run.events.findLast((event) => event.name.startsWith("sdk:result"))?.payload).toMatchObject({
        subtype: "success",
      })
      // A call that was never made had no effect; one that was made had it once.
      const blocks = run.events.flatMap(blocksOf)
      const made = blocks.some(
        (block) => block.type === "tool_use" && (block.name === "Bash" || block.name === "Write"),
      )
      expect(run.file, `death after transaction ${dieAfter}`).toBe(made ? "x\n" : null)
      expect(blocks.filter((block) => block.is_error === true)).toEqual([])
      if (!run.died) break
      deaths += 1
    }
    expect(deaths).toBeGreaterThanOrEqual(3)
  })
})
