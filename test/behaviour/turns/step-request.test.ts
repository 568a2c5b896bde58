// How a session's options and its mode determine its model requests.
import { describe, expect, it } from "vitest"
import { SessionMemory } from "../../../src/agent/transcript/projection.ts"
import type { Turn } from "../../../src/agent/ports.ts"
import { fallbackModelsOf, modelOf, stepRequest } from "../../../src/agent/step-request.ts"
import { policyOf } from "../../../src/permissions/policy.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"

/** The part of a turn that a request is built from: a turn with the prompt "go". */
const turnOf = (options: SessionOptions) => {
  const log = new TurnLog()
  log.queued("go")
  log.init()
  const memory = new SessionMemory("/workspace")
  for (const event of log.events) memory.apply(event, 0)
  const turn = {
    sessionId: SESSION,
    cwd: "/workspace",
    options,
    memory,
    tools: [],
    policy: () => policyOf(options, []),
  }
  // Requests do not use the rest of a turn.
  return turn as unknown as Turn
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
      { model: "claude-opus-5", settings: { alwaysThinkingEnabled: false } },
      { thinking: { type: "disabled" } },
    ],
    [
      "settings.alwaysThinkingEnabled, except for a model that always thinks",
      { settings: { alwaysThinkingEnabled: false } },
      { thinking: { type: "adaptive" } },
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
  ])("follows %s", (_, options, expected) => {
    expect(stepRequest(turnOf(options)).request).toMatchObject(expected)
  })

  it("can be built for another model, and in its plain form", () => {
    const context = turnOf({ effort: "low" })
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

describe("the model of a session", () => {
  it("is the option, then the setting, then the default", () => {
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
