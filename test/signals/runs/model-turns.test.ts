// Turns of agents that run on a model alone, against servers over HTTP.
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { NO_RIGHTS } from "../../support/values/actors.ts"
import type { CreateRunArgs } from "../../../src/schemas/rpc/workflow-rpc.ts"
import { defineSignal } from "../../../src/signals/signal.ts"
import { ModelTurns } from "../../../src/signals/runs/model-turns.ts"
import type { ModelEnv } from "../../../src/signals/runs/run-harness.ts"
import type { TurnRow } from "../../../src/signals/runs/run-record.ts"
import { newRun } from "../../../src/signals/runs/run-report.ts"
import { createScriptedOpenAi, type ScriptedOpenAi } from "../../support/openai/scripted-openai.mjs"
import { eventually } from "../../support/server/client.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"

const KEY = "sk-proj-0123456789abcdef"
let openai: ScriptedOpenAi
let claude: ScriptedApi
let env: ModelEnv
beforeAll(async () => {
  openai = await createScriptedOpenAi({ key: KEY })
  claude = await createFakeApi()
  env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: claude.url, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: openai.url }
})
afterAll(async () => {
  await openai.close()
  await claude.close()
})

const Said = defineSignal("said", { text: Schema.String })
const AGENT = { name: "speaker", emits: [Said] }
const ANSWER = '{"signals":[{"name":"said","payload":{"text":"Yes."}}]}'
const SIGNALS = [{ name: "said", payload: { text: "Yes." } }]

const runOf = (harness: CreateRunArgs["harness"], options: CreateRunArgs["options"] = {}) =>
  newRun(
    "acme",
    "run-1",
    { workflow: "w", input: {}, options, harness, sessions: "turn", onEmpty: "end", actor: NO_RIGHTS },
    0,
  )

const rowOf = (prompt: string, seq = 1): TurnRow => ({
  seq,
  agent: AGENT.name,
  session: null,
  turn: null,
  prompt,
  status: "running",
  usd: null,
  startedAt: 0,
})

/** The turns of a process, and the announced ends. */
const newProcess = (settings: ModelEnv = env) => {
  const ends: Array<true> = []
  const turns = new ModelTurns({ env: settings, keepAlive: () => undefined, changed: () => ends.push(true) })
  return { turns, ended: (count = 1) => eventually(async () => (ends.length >= count ? true : undefined)) }
}

describe("a turn", () => {
  it.each(["claude", "openai", "offline"] as const)("of %s is one request, whose end is announced", async (harness) => {
    openai.set("turn", { text: ANSWER })
    claude.set("turn", { turns: [{ content: [{ type: "text", text: ANSWER }] }], allowNoTools: true })
    const requests = () => [...openai.log, ...claude.log].filter(({ script }) => script === "turn").length
    const before = requests()
    const { turns, ended } = newProcess()
    const args = [runOf(harness), rowOf("[[script:turn]] Speak."), AGENT] as const
    expect(await turns.begin(...args)).toMatchObject({ tag: "later" })
    expect(await turns.begin(...args)).toMatchObject({ tag: "later" })
    await ended()
    const progress = await turns.begin(...args)
    const signals = harness === "offline" ? [{ name: "said", payload: { text: expect.any(String) } }] : SIGNALS
    expect(progress).toMatchObject({ tag: "ended", result: { subtype: "success", structured_output: { signals } } })
    // OpenAI's price is unknown here, and the offline model costs nothing.
    expect(progress).toHaveProperty("usd", harness === "claude" ? expect.any(Number) : null)
    expect(requests() - before).toBe(harness === "offline" ? 0 : 1)
  })

  it("uses the agent's model, or the run's, or the server's", async () => {
    openai.set("model", { text: ANSWER })
    const asked = async (agent: object, options: CreateRunArgs["options"], settings: ModelEnv) => {
      const { turns, ended } = newProcess(settings)
      await turns.begin(runOf("openai", options), rowOf("[[script:model]]"), { ...AGENT, ...agent })
      await ended()
      return openai.log.at(-1)?.body.model
    }
    expect(await asked({ model: "gpt-a" }, { model: "gpt-b" }, env)).toBe("gpt-a")
    expect(await asked({}, { model: "gpt-b" }, env)).toBe("gpt-b")
    expect(await asked({}, {}, { ...env, OPENAI_MODEL: "gpt-c" })).toBe("gpt-c")
    expect(await asked({}, {}, env)).toBe("gpt-5")
  })

  it("without signals to emit ends with its text", async () => {
    openai.set("text", { text: "Just so." })
    const { turns, ended } = newProcess()
    const args = [runOf("openai"), rowOf("[[script:text]]"), { name: "speaker", emits: [] }] as const
    await turns.begin(...args)
    await ended()
    expect(await turns.begin(...args)).toMatchObject({
      tag: "ended",
      result: { subtype: "success", result: "Just so." },
    })
  })

  it("that is stopped aborts its request and announces nothing", async () => {
    openai.set("held", { text: ANSWER, hold: "never" })
    const { turns } = newProcess()
    await turns.begin(runOf("openai"), rowOf("[[script:held]]"), AGENT)
    const request = await eventually(async () => openai.log.find(({ script }) => script === "held"))
    await turns.stop(runOf("openai"), rowOf("[[script:held]]"))
    await eventually(async () => request.aborted)
    expect(await turns.poll(runOf("openai"), rowOf("[[script:held]]"))).toMatchObject({ tag: "later" })
  })

  it("is requested again by the next process after a crash", async () => {
    openai.set("crash", [{ text: ANSWER, hold: "crashed" }, { text: ANSWER }])
    const args = [runOf("openai"), rowOf("[[script:crash]]"), AGENT] as const
    const before = newProcess()
    await before.turns.begin(...args)
    await eventually(async () => openai.log.find(({ script }) => script === "crash"))
    const after = newProcess()
    await after.turns.begin(...args)
    await after.ended()
    expect(await after.turns.begin(...args)).toMatchObject({ tag: "ended" })
    await before.turns.stop(args[0], args[1])
  })
})

describe("a turn that fails", () => {
  const refusal = async (harness: CreateRunArgs["harness"], agent: object, settings: ModelEnv = env) => {
    const { turns, ended } = newProcess(settings)
    const args = [runOf(harness), rowOf("[[script:refused]]"), { ...AGENT, ...agent }] as const
    await turns.begin(...args)
    await ended()
    return turns.begin(...args)
  }

  it("returns the reason without secrets", async () => {
    openai.set("refused", {
      error: { status: 400, type: "invalid_request_error", message: `no such model for ${KEY}` },
    })
    expect(await refusal("openai", {})).toEqual({
      tag: "refused",
      message: "OpenAI failed (400 invalid_request_error): no such model for [secret]",
    })
  })

  it("was answered with a text without signals", async () => {
    openai.set("refused", { text: "Hm." })
    expect(await refusal("openai", { emits: [Said, "other"] })).toMatchObject({
      tag: "refused",
      message: expect.stringContaining("2 signals to choose from"),
    })
  })

  it("has tools, or a harness that the server lacks", async () => {
    expect(await refusal("openai", { tools: ["Read"] })).toMatchObject({ message: expect.stringContaining("tools") })
    expect(await refusal("openai", {}, {})).toMatchObject({ message: expect.stringContaining("OPENAI_API_KEY") })
    expect(await refusal("claude", {}, {})).toMatchObject({ message: expect.stringContaining("ANTHROPIC_API_KEY") })
  })
})
