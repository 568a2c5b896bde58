// `set_model`: what its hooks and clients receive, which requests use the new model, and to which model they are billed.
import { describe, expect, it } from "vitest"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, hooksOf, loop, namesOf, payloadsOf, resultOf, until } from "../../support/session/loop.ts"

const made = loop()
const { connected, scripted } = made

const HELPER = { helper: { description: "Helps.", prompt: "You are a helper." } }

const bodiesOf = (script: string) =>
  made.api.log.filter((entry) => entry.script === script).map((entry) => entry.body as { readonly model: string })

describe("set_model", () => {
  it("applies to the next request, and clients receive the official SDK's messages", async () => {
    const { client, session, idle, log } = await connected({ PreModelSwitch: {}, PostModelSwitch: {} })
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(await client.request("set_model", { model: "sonnet" })).toMatchObject({ subtype: "success" })
    const inputs = payloadsOf(eventsOf(log), "hook:fired").map((fired) => fired["input"] as Record<string, unknown>)
    const to = inputs.find((input) => input["hook_event_name"] === "PreModelSwitch") ?? {}
    expect(to).toMatchObject({ hook_event_name: "PreModelSwitch", requested_model: "sonnet", source: "sdk" })
    expect(client.called.map((one) => one.callbackId)).toEqual(["PreModelSwitch", "PostModelSwitch"])
    expect(client.frames.find((frame) => frame.type === "user")).toMatchObject({
      isReplay: true,
      message: { content: `<local-command-stdout>Set model to ${String(to["to_model"])}</local-command-stdout>` },
    })
    const script = scripted([DONE])
    prompt(session, promptFor(script))
    await idle()
    expect(bodiesOf(script).map((body) => body.model)).toEqual([to["to_model"]])
    expect(payloadsOf(eventsOf(log), "sdk:system/init")[1]).toMatchObject({ model: to["to_model"] })
  })

  it.each([{}, { model: "claude-sonnet-4-5" }])(
    "in a hook of a prompt is for the next one; options %j",
    async (given) => {
      const hooks = {
        UserPromptSubmit: async () => {
          await client.request("set_model", { model: "claude-opus-4-6" })
          return {}
        },
      }
      const { client, session, idle, log } = await connected(hooks, { ...BYPASS, ...given })
      const script = scripted([{ content: [call("Bash", { command: "ls", description: "d" })] }, DONE])
      prompt(session, promptFor(script))
      await idle()
      prompt(session, promptFor(script))
      await idle()
      const [before, after] = [given.model ?? "claude-opus-5-5", "claude-opus-4-6"]
      expect(bodiesOf(script).map(({ model }) => model)).toEqual([before, before, after, after])
      const inits = payloadsOf(eventsOf(log), "sdk:system/init").map(({ model }) => model)
      expect(inits).toEqual([before, after])
    },
  )

  it("in a tool's hook is for the next request, also after one in a hook of the prompt", async () => {
    const setsModel = (model: string) => async () => {
      await client.request("set_model", { model })
      return {}
    }
    const hooks = { UserPromptSubmit: setsModel("claude-opus-4-6"), PreToolUse: setsModel("claude-haiku-4-5") }
    const { client, session, idle } = await connected(hooks, { ...BYPASS, model: "claude-sonnet-4-5" })
    const script = scripted([{ content: [call("Bash", { command: "ls", description: "d" })] }, DONE])
    prompt(session, promptFor(script))
    await idle()
    expect(bodiesOf(script).map(({ model }) => model)).toEqual(["claude-sonnet-4-5", "claude-haiku-4-5"])
  })

  it("before the conversation has begun sends clients no message, as recorded", async () => {
    const { client, session, idle, log } = await connected({ PostModelSwitch: {} })
    expect(await client.request("set_model", { model: "haiku" })).toMatchObject({ subtype: "success" })
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(client.called.map((one) => one.callbackId)).toEqual(["PostModelSwitch"])
    expect(client.frames.filter((frame) => frame.type === "user")).toEqual([])
    expect(payloadsOf(eventsOf(log), "sdk:system/init")).toMatchObject([{ model: expect.stringContaining("haiku") }])
  })

  it("has its hooks know what the switch costs, as recorded from the official SDK", async () => {
    const usage = {
      input_tokens: 20_000,
      cache_creation_input_tokens: 30_000,
      cache_read_input_tokens: 50_000,
      output_tokens: 1234,
    }
    const { client, session, idle, log } = await connected({}, { model: "claude-sonnet-4-5" })
    const facts = async (model: string) => {
      await client.request("set_model", { model })
      const inputs = payloadsOf(eventsOf(log), "hook:fired").map((fired) => fired["input"] as Record<string, unknown>)
      return inputs.findLast((input) => input["hook_event_name"] === "PreModelSwitch")
    }
    const nothing = { context_tokens: 0, prompt_cache_warm: false, estimated_cache_write_usd: 0 }
    expect(await facts("claude-sonnet-4-6")).toMatchObject({ ...nothing, cache_ttl: "5m", pricing: "catalog" })
    prompt(session, promptFor(scripted([{ ...DONE, usage }])))
    await idle()
    const used = { context_tokens: 101_234, prompt_cache_warm: true, cache_ttl: "5m", pricing: "catalog" }
    expect(await facts("claude-haiku-4-5")).toMatchObject({ ...used, estimated_cache_write_usd: 0.1265 })
    expect(await facts("claude-opus-4-6")).toMatchObject({ ...used, estimated_cache_write_usd: 0.6327 })
    await client.request("apply_flag_settings", { settings: { promptCacheTtl: "1h" } })
    const hour = { ...used, cache_ttl: "1h" }
    expect(await facts("claude-haiku-4-5")).toMatchObject({ ...hour, estimated_cache_write_usd: 0.2025 })
    expect(await facts("claude-unknown-9")).toMatchObject({ ...hour, pricing: "default" })
  })

  it("sends clients the messages of its hooks", async () => {
    const { client } = await connected({
      PreModelSwitch: { systemMessage: "a cheaper one" },
      PostModelSwitch: { systemMessage: "done" },
    })
    await client.request("set_model", { model: "claude-haiku-4-5" })
    const sent = () => client.frames.filter(({ subtype }) => subtype === "informational")
    await until(() => sent().length === 2)
    expect(sent()).toMatchObject([
      { content: "a cheaper one", level: "notice" },
      { content: "PostModelSwitch:claude-haiku-4-5 says: done", level: "notice" },
    ])
  })

  it("is answered before PostModelSwitch hooks are", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<Record<string, unknown>>()
    const { client, log } = await connected({ PostModelSwitch: () => held })
    expect(await client.request("set_model", { model: "claude-haiku-4-5" })).toMatchObject({ subtype: "success" })
    expect(hooksOf(eventsOf(log))).toEqual(["PreModelSwitch"])
    release({})
    await until(() => hooksOf(eventsOf(log)).length === 2)
  })

  it("in the middle of a turn applies from its next request on", async () => {
    const { client, session, idle } = await connected({
      PreToolUse: async () => {
        await client.request("set_model", { model: "claude-sonnet-4-5" })
        return {}
      },
    })
    const script = scripted([{ content: [call("Glob", { pattern: "*" })] }, DONE])
    prompt(session, promptFor(script))
    await idle()
    const models = bodiesOf(script).map((body) => body.model)
    expect(models[1]).toBe("claude-sonnet-4-5")
    expect(models[0]).not.toBe(models[1])
  })

  it("while an answer streams is not what that answer is billed to", async () => {
    const { client, session, idle, log } = await connected({}, { model: "claude-sonnet-4-5" })
    const script = scripted([{ ...DONE, pause: { after: 3 } }, DONE])
    const requested = until(() => bodiesOf(script).length === 1)
    prompt(session, promptFor(script))
    await requested
    await client.request("set_model", { model: "claude-haiku-4-5" })
    made.api.release(`${script}#0`)
    await idle()
    prompt(session, "once more")
    await idle()
    const calls = payloadsOf(eventsOf(log), "call:finished")
    expect(calls.map(({ model, usd }) => [model, usd])).toEqual([
      ["claude-sonnet-4-5", 0.00045],
      ["claude-haiku-4-5", 0.00015],
    ])
    expect(Object.keys(resultOf(eventsOf(log))["modelUsage"] as object)).toEqual([
      "claude-sonnet-4-5",
      "claude-haiku-4-5",
    ])
  })

  it("while a request waits to be retried, or an agent runs, leaves their model, as recorded", async () => {
    const failed = {
      error: { status: 529, type: "overloaded_error", message: "busy", headers: { "retry-after": "0" } },
    }
    const { client, session, idle, log } = await connected(
      {},
      { ...BYPASS, model: "claude-sonnet-4-5", agents: HELPER },
    )
    const sub = scripted([{ content: [call("Glob", { pattern: "*" })], pause: { after: 2 } }, DONE])
    const use = call("Agent", {
      description: "d",
      subagent_type: "helper",
      prompt: promptFor(sub),
      run_in_background: false,
    })
    const script = scripted([[failed, { content: [use] }], DONE])
    prompt(session, promptFor(script))
    await until(() => namesOf(eventsOf(log)).includes("sdk:system/api_retry"))
    await client.request("set_model", { model: "claude-haiku-4-5" })
    await until(() => bodiesOf(sub).length === 1)
    await client.request("set_model", { model: "claude-opus-4-6" })
    made.api.release(`${sub}#0`)
    await idle()
    expect(bodiesOf(script).map(({ model }) => model)).toEqual([
      "claude-sonnet-4-5",
      "claude-sonnet-4-5",
      "claude-opus-4-6",
    ])
    expect(bodiesOf(sub).map(({ model }) => model)).toEqual(["claude-haiku-4-5", "claude-haiku-4-5"])
  })

  it("that a hook blocks changes nothing", async () => {
    const { client, session, log } = await connected({
      PreModelSwitch: {
        hookSpecificOutput: {
          hookEventName: "PreModelSwitch",
          permissionDecision: "deny",
          permissionDecisionReason: "too dear",
        },
      },
    })
    const before = session.record.options.model
    expect(await client.request("set_model", { model: "haiku" })).toMatchObject({ subtype: "error", error: "too dear" })
    expect(session.record.options.model).toBe(before)
    expect(hooksOf(eventsOf(log))).toEqual(["PreModelSwitch"])
  })

  it("twice fires the hooks twice, under different ids", async () => {
    const { client } = await connected({ PreModelSwitch: {} })
    await client.request("set_model", { model: "sonnet" })
    await client.request("set_model", { model: "opus" })
    expect(new Set(client.called.map((one) => one.requestId)).size).toBe(2)
  })
})
