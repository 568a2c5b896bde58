// What a session keeps of subagents that have ended.
import { expect, it } from "vitest"
import { BYPASS, loop, textOf } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"

const { harnessOf, messagesSent, scripted } = loop()

const HELPER = { description: "Helps.", prompt: `You help. ${"Carefully. ".repeat(200)}` }

it.each([false, true])(
  "of ended agents little is kept, and each can be resumed (in the background: %s)",
  async (later) => {
    const harness = harnessOf({ ...BYPASS, agents: { helper: HELPER } })
    let { session, idle } = harness.boot()
    const sizes: Array<number> = []
    const run = async (input: object): Promise<void> => {
      const use = call("Agent", { description: "help", subagent_type: "helper", run_in_background: later, ...input })
      prompt(session, promptFor(scripted([{ content: [use] }, textAnswer("Done."), textAnswer("Noted.")])))
      await idle()
      await idle()
      sizes.push(JSON.stringify(session.memory.save()?.subagents).length)
    }
    const helped = (index: number) =>
      scripted([textAnswer(`report ${index} ${"long ".repeat(5000)}`), textAnswer("More.")])
    const scripts = Array.from({ length: 8 }, (_, index) => helped(index))
    for (const [index, script] of scripts.entries()) await run({ name: `helper-${index}`, prompt: promptFor(script) })
    for (const [index, size] of sizes.slice(1).entries()) expect(size - (sizes[index] ?? 0)).toBeLessThan(200)
    harness.crash()
    ;({ session, idle } = harness.boot())
    await run({ resume: "helper-2", prompt: "go on" })
    const sent = messagesSent(scripts[2] ?? "").at(-1) ?? []
    expect(sent.map((message) => textOf(message).slice(0, 8))).toEqual(["[[script", "report 2", "go on"])
  },
)
