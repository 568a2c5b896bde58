// Runs of the two workflows over HTTP whose agents are answered by a model alone: the scripted Messages API, the scripted
// OpenAI, the offline model.
import { describe, expect, inject, it } from "vitest"
import { OpenAiLog } from "../../support/openai/openai-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"
import { runsOf, runThatIs, signalsOf, startRun } from "../../support/signals/workflow-client.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const claude = new ApiLog(shared.apiUrl)
const openai = new OpenAiLog(shared.openaiUrl)

type Harness = "claude" | "openai" | "offline"
const SCRIPTED: ReadonlyArray<Harness> = ["claude", "openai"]

/** Makes both servers answer the prompts with a script, one answer after another; returns the script's name. */
const script = async (name: string, ...answers: ReadonlyArray<string>): Promise<string> => {
  const unique = scriptName(name)
  const turns = [
    answers.map((answer) => ({ content: [text(answer)], usage: { input_tokens: 1000, output_tokens: 100 } })),
  ]
  await claude.set(unique, { turns, allowNoTools: true })
  await openai.set(
    unique,
    answers.map((answer) => ({ text: answer })),
  )
  return unique
}

const signals = (name: string, payload: object): string => JSON.stringify({ signals: [{ name, payload }] })

const finished = async (workflow: string, harness: Harness, input: object) => {
  const made = await startRun(perch, workflow, { input, harness })
  expect(made).toMatchObject({ harness })
  return runThatIs(perch, made, "completed", "failed")
}

const requestsOf = async (name: string): Promise<number> =>
  (await openai.requests(name)).length + (await claude.requests(name)).length

describe("the debate", () => {
  it("ends in the same state with Claude and with OpenAI, with one request per turn", async () => {
    const states: Array<unknown> = []
    for (const harness of SCRIPTED) {
      // An answer in JSON, and one in plain text, which becomes the text of the only signal.
      const name = await script("debate", signals("argument:made", { text: "It helps." }), "It costs: größer, 你好.")
      const run = await finished("debate", harness, { claim: promptFor(name), rounds: 1 })
      expect(run).toMatchObject({ status: "completed", error: null })
      expect(run.agents).toMatchObject([
        { agent: "advocate", session_id: null, turn_id: null, status: "completed" },
        { agent: "critic", session_id: null, turn_id: null, status: "completed" },
      ])
      expect(await requestsOf(name)).toBe(2)
      if (harness === "claude") expect(run.total_cost_usd).toBeGreaterThan(0.001)
      else expect(run.total_cost_usd).toBe(0)
      const log = await signalsOf(perch, run)
      expect(
        log.filter(({ source }) => source?.harness !== undefined).every(({ source }) => source?.harness === harness),
      ).toBe(true)
      expect(JSON.stringify(log)).not.toContain(shared.modelKey)
      states.push({ ...Object(run.state), claim: "" })
    }
    expect(states[0]).toMatchObject({
      done: true,
      arguments: [{ text: "It helps." }, { text: "It costs: größer, 你好." }],
    })
    expect(states[1]).toEqual(states[0])
  })

  it("runs on the offline model, which calls no server", async () => {
    const run = await finished("debate", "offline", { claim: "Logs help.", rounds: 2 })
    expect(run).toMatchObject({ status: "completed", total_cost_usd: 0 })
    expect(run.state).toMatchObject({
      done: true,
      arguments: Array(4).fill({ text: expect.stringContaining("offline") }),
    })
  })
})

describe("the tasks", () => {
  it("are retried after a failure, with Claude and with OpenAI", async () => {
    for (const harness of SCRIPTED) {
      const answer = (outcome: string) =>
        `Here it is:\n\`\`\`json\n${signals("task:completed", { taskId: "task-1", outcome, summary: outcome })}\n\`\`\``
      const name = await script("tasks", answer("failure"), answer("success"))
      const run = await finished("tasks", harness, { tasks: [promptFor(name)] })
      expect(run).toMatchObject({ status: "completed", error: null })
      expect(run.state).toMatchObject({ done: true, tasks: [{ status: "success", attempts: 2 }] })
      expect(await requestsOf(name)).toBe(2)
    }
  })

  it("run on the offline model", async () => {
    const run = await finished("tasks", "offline", {})
    expect(run.state).toMatchObject({ done: true, tasks: Array(3).fill({ status: "success", attempts: 1 }) })
  })

  it("fail with the model's reason, without secrets", async () => {
    const name = scriptName("refused")
    const message = `no such model for ${shared.modelKey}`
    await openai.set(name, { error: { status: 404, code: "model_not_found", message } })
    const run = await finished("tasks", "openai", { tasks: [promptFor(name)] })
    expect(run).toMatchObject({
      status: "failed",
      error: {
        type: "AgentError",
        message: "The turn of worker failed: OpenAI failed (404 model_not_found): no such model for [secret]",
      },
    })
  })
})

describe("a run that is cancelled", () => {
  it("aborts the request of its agent", async () => {
    const name = scriptName("held")
    await openai.set(name, { text: "Late.", hold: name })
    const made = await startRun(perch, "debate", { input: { claim: promptFor(name) }, harness: "openai" })
    await eventually(async () => (await openai.requests(name))[0])
    await perch.json("POST", `${runsOf("debate")}/${made.id}/cancel`)
    await eventually(async () => (await openai.requests(name))[0]?.aborted)
    expect(await runThatIs(perch, made, "cancelled")).toMatchObject({ agents: [{ status: "stopped" }] })
  })
})

describe("a run's options", () => {
  it("select the model", async () => {
    const name = await script("model", signals("argument:made", { text: "Yes." }))
    const options = { model: "gpt-of-mine" }
    const input = { claim: promptFor(name), rounds: 1 }
    const made = await startRun(perch, "debate", { input, options, harness: "openai" })
    await runThatIs(perch, made, "completed")
    const models = (await openai.requests(name)).map(({ body }) => body.model)
    expect(models).toEqual(["gpt-of-mine", "gpt-of-mine"])
  })

  it("of sessions are rejected by name if no session runs the turns", async () => {
    for (const harness of ["claude", "openai", "offline"]) {
      const json = { harness, options: { model: "x", permissionMode: "plan" } }
      const { error } = await perch.json<{ error: object }>("POST", runsOf("debate"), { json, status: 400 })
      expect(error).toMatchObject({
        field: "options.permissionMode",
        message: expect.stringContaining("option of sessions"),
      })
    }
  })
})
