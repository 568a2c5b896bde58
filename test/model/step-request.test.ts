// What a session's options make of its model requests, seen by the API.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { SessionMemory } from "../../src/agent/memory.ts"
import type { TurnContext } from "../../src/agent/ports.ts"
import { fallbackModelsOf, modelOf, stepRequest } from "../../src/agent/step-request.ts"
import { policyOf } from "../../src/permissions/policy.ts"
import type { SessionOptions } from "../../src/schemas/sdk/options.ts"
import { createFakeApi, type ScriptedApi } from "../support/scripted-api.mjs"
import { call, promptFor, scriptName, text } from "../support/scripts.ts"
import { type Booted, eventsOf, prompt, SessionHarness } from "../support/session-harness.ts"

let api: ScriptedApi
const open: Array<SessionHarness> = []

beforeAll(async () => {
  api = await createFakeApi()
})
afterEach(async () => {
  for (const harness of open.splice(0)) await harness.dispose()
})
afterAll(() => api.close())

/** Runs a turn that reads and then answers; gives what the API was sent. */
const requestsOf = async (options: SessionOptions) => {
  const script = scriptName("request")
  api.set(script, [{ content: [call("Glob", { pattern: "*" })] }, { content: [text("Done.")] }])
  const harness = new SessionHarness(api.url, options)
  open.push(harness)
  const booted: Booted = harness.boot()
  prompt(booted.session, promptFor(script))
  await booted.idle()
  const sent = api.log.filter((entry) => entry.script === script)
  expect(sent).toHaveLength(2)
  return { script, bodies: sent.map((entry) => entry.body), headers: sent[0]?.headers, log: eventsOf(booted.log) }
}

describe("the request of a step", () => {
  it.each<readonly [string, SessionOptions, Record<string, unknown>]>([
    [
      "no option",
      {},
      { model: "claude-opus-5-5", thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
    ],
    ["settings.model", { settings: { model: "haiku" } }, { model: "claude-haiku-5-5" }],
    ["model over settings.model", { model: "sonnet", settings: { model: "haiku" } }, { model: "claude-sonnet-5-5" }],
    ["settings.effortLevel", { settings: { effortLevel: "low" } }, { output_config: { effort: "low" } }],
    ["settings.effortLevel null", { settings: { effortLevel: null } }, { output_config: { effort: "medium" } }],
    [
      "effort over settings.effortLevel",
      { effort: "high", settings: { effortLevel: "low" } },
      { output_config: { effort: "high" } },
    ],
    [
      "settings.alwaysThinkingEnabled",
      { settings: { alwaysThinkingEnabled: false } },
      { thinking: { type: "disabled" } },
    ],
    [
      "maxThinkingTokens over it",
      { model: "claude-sonnet-4-5", maxThinkingTokens: 2000, settings: { alwaysThinkingEnabled: false } },
      { thinking: { type: "enabled", budget_tokens: 2000 } },
    ],
    [
      "thinking over it",
      { thinking: { type: "adaptive", display: "omitted" }, settings: { alwaysThinkingEnabled: false } },
      { thinking: { type: "adaptive", display: "omitted" } },
    ],
    ["systemPrompt", { systemPrompt: "You are custom." }, { system: [{ type: "text", text: "You are custom." }] }],
  ])("follows %s", async (_, options, expected) => {
    const { bodies } = await requestsOf(options)
    for (const body of bodies) expect(body).toMatchObject(expected)
  })

  it("says in plan mode, in front of the prompt and in every request, what that means, and stores nothing of it", async () => {
    const { script, bodies, log } = await requestsOf({ permissionMode: "plan", planModeInstructions: "Draw a map." })
    for (const body of bodies) {
      expect(body.messages[0]?.content).toMatchObject([
        { type: "text", text: expect.stringMatching(/^<system-reminder>\nPlan mode is on\.[^]*Draw a map\./) },
        { type: "text", text: promptFor(script) },
      ])
    }
    expect(JSON.stringify(log)).not.toContain("system-reminder")
    expect(JSON.stringify((await requestsOf({})).bodies)).not.toContain("Plan mode")
  })

  it("can be made for another model, and in its plain form", () => {
    // As much of a turn as a request is made of.
    const context = {
      sessionId: "0199",
      cwd: "/workspace",
      options: { effort: "low" },
      memory: new SessionMemory("/workspace"),
      tools: [],
      policy: () => policyOf({}, []),
    } as unknown as TurnContext["Service"]
    const own = stepRequest(context)
    expect(own.request).toMatchObject({ model: "claude-opus-5-5", output_config: { effort: "low" } })
    expect(own.context.betas).toEqual(["effort-2025-11-24"])
    expect(stepRequest(context, { model: "claude-sonnet-4-5" })).toMatchObject({
      request: { model: "claude-sonnet-4-5", max_tokens: 32_000, thinking: { type: "enabled" } },
      context: { betas: ["interleaved-thinking-2025-05-14"] },
    })
    const plain = stepRequest(context, { plain: true })
    expect(plain.request.thinking).toEqual({ type: "adaptive" })
    expect(plain.request).not.toHaveProperty("output_config")
    expect(plain.context.betas).toEqual([])
  })
})

describe("the models of a session", () => {
  it("its own is the option, then the setting, then the default", () => {
    expect(modelOf({})).toBe("claude-opus-5-5")
    expect(modelOf({ settings: { model: "haiku" } })).toBe("claude-haiku-5-5")
    expect(modelOf({ model: "claude-sonnet-4-5-20250929", settings: { model: "haiku" } })).toBe(
      "claude-sonnet-4-5-20250929",
    )
  })

  it.each([
    [undefined, []],
    ["haiku", ["claude-haiku-5-5"]],
    [" sonnet , haiku,,claude-haiku-5-5 ", ["claude-sonnet-5-5", "claude-haiku-5-5"]],
    ["default,opus,other-model", ["other-model"]],
    [" , ", []],
  ])("its fallback models are those of %j, but for its own", (fallbackModel, expected) => {
    expect(fallbackModelsOf(fallbackModel === undefined ? {} : { fallbackModel })).toEqual(expected)
  })
})
