// The control protocol on a session: what requests change, and who is informed.
import { describe, expect, it } from "vitest"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { resolveModel } from "../../../src/model/catalogue/models.ts"
import { DONE, loop, namesOf, payloadsOf } from "../../support/session/loop.ts"

const made = loop()
const { connected, scripted } = made

const bodiesOf = (script: string) =>
  made.api.log
    .filter((entry) => entry.script === script)
    .map(
      (entry) => entry.body as { readonly model: string; readonly thinking?: object; readonly output_config?: object },
    )

describe("set_permission_mode", () => {
  it("is announced and applies to the next call, even in the running turn", async () => {
    const { client, session, idle, log } = await connected(
      {
        PreToolUse: async () => {
          await client.request("set_permission_mode", { mode: "acceptEdits" })
          return {}
        },
      },
      {},
    )
    const script = scripted([{ content: [call("Write", { file_path: "/workspace/a", content: "x" })] }, DONE])
    prompt(session, promptFor(script))
    await idle()
    expect(namesOf(eventsOf(log))).not.toContain("ask:opened")
    expect(payloadsOf(eventsOf(log), "sdk:system/status")).toMatchObject([{ permissionMode: "acceptEdits" }])
    expect(session.info().permissionMode).toBe("acceptEdits")
  })

  it("bypassPermissions needs a session that was opened for it", async () => {
    const safe = await connected({}, {})
    expect(await safe.client.request("set_permission_mode", { mode: "bypassPermissions" })).toMatchObject({
      subtype: "error",
    })
    expect(safe.session.permissions.policy().mode).toBe("default")
    const open = await connected({}, { allowDangerouslySkipPermissions: true })
    expect(await open.client.request("set_permission_mode", { mode: "bypassPermissions" })).toMatchObject({
      subtype: "success",
    })
    expect(open.session.permissions.policy().mode).toBe("bypassPermissions")
  })

  it("survives a restart", async () => {
    const { client, harness } = await connected({}, {})
    await client.request("set_permission_mode", { mode: "plan" })
    harness.crash()
    expect(harness.boot().session.permissions.policy().mode).toBe("plan")
  })
})

describe("apply_flag_settings", () => {
  it("adds rules that apply to the next call", async () => {
    const { client, session, idle, workspace } = await connected({}, {})
    const settings = { permissions: { allow: ["Edit(./**)"] } }
    expect(await client.request("apply_flag_settings", { settings })).toMatchObject({ subtype: "success" })
    const script = scripted([{ content: [call("Write", { file_path: "/workspace/a", content: "x" })] }, DONE])
    prompt(session, promptFor(script))
    await idle()
    expect(workspace.exists("/workspace/a")).toBe(true)
    expect(await client.request("get_settings")).toMatchObject({ response: { settings } })
  })

  it("is visible in get_settings, with the values of the next request", async () => {
    const { client } = await connected({}, { model: "claude-opus-4-6", effort: "high" })
    const applied = { model: "claude-opus-4-6", effort: "high", advisor: null, ultracode: false }
    const before = await client.request("get_settings")
    expect(before).toMatchObject({ response: { effective: {}, sources: [], applied } })
    const settings = { permissions: { deny: ["Bash(rm *)"] } }
    await client.request("apply_flag_settings", { settings })
    expect(await client.request("get_settings")).toMatchObject({
      response: { effective: settings, sources: [{ source: "flagSettings", settings }], applied },
    })
  })

  it("removes a setting with null", async () => {
    const { client, session, idle } = await connected()
    await client.request("apply_flag_settings", { settings: { model: "claude-sonnet-4-5" } })
    await client.request("apply_flag_settings", { settings: { model: null } })
    const script = scripted([DONE])
    prompt(session, promptFor(script))
    await idle()
    expect(bodiesOf(script)[0]?.model).not.toBe("claude-sonnet-4-5")
  })

  it("replaces what an earlier request set for a key, and keeps the session's own rules, as the official SDK", async () => {
    const settings = { permissions: { deny: ["Bash"], defaultMode: "acceptEdits" } } as const
    const { client } = await connected({}, { settings })
    const permissionsAfter = async (permissions: unknown) => {
      await client.request("apply_flag_settings", { settings: { permissions } })
      return (await client.request("get_settings"))["response"]
    }
    expect(await permissionsAfter({ deny: ["Read", "Bash"], allow: ["Edit"] })).toMatchObject({
      effective: { permissions: { deny: ["Bash", "Read"], allow: ["Edit"], defaultMode: "acceptEdits" } },
    })
    expect(await permissionsAfter({ ask: ["Write"] })).toMatchObject({
      effective: { permissions: { deny: ["Bash"], ask: ["Write"], defaultMode: "acceptEdits" } },
    })
    expect(await permissionsAfter({ deny: ["Read"], defaultMode: "plan" })).toHaveProperty("effective", {
      permissions: { deny: ["Bash", "Read"], defaultMode: "acceptEdits" },
    })
    expect(await permissionsAfter(null)).toHaveProperty("effective", settings)
  })

  it("with a model or an effort selects it whatever was set before, and null selects the default", async () => {
    const given = { model: "claude-opus-4-6", effortLevel: "low" } as const
    const { client } = await connected({}, { model: "claude-sonnet-4-5", effort: "medium", settings: given })
    const appliedAfter = async (subtype: string, fields: Record<string, unknown>) => {
      expect(await client.request(subtype, fields)).toMatchObject({ subtype: "success" })
      return (await client.request("get_settings"))["response"]
    }
    const apply = (settings: Record<string, unknown>) => appliedAfter("apply_flag_settings", { settings })
    const haiku = { model: "claude-haiku-4-5" }
    expect(await apply({ effortLevel: "low" })).toMatchObject({ applied: { effort: "low" } })
    expect(await apply({ effortLevel: null })).toMatchObject({ applied: { effort: null } })
    expect(await apply(haiku)).toMatchObject({ applied: haiku })
    expect(await appliedAfter("set_model", { model: given.model })).toMatchObject({ applied: { model: given.model } })
    expect(await apply(haiku)).toMatchObject({ applied: haiku })
    const fallback = { applied: { model: resolveModel("default").id } }
    expect(await apply({ model: null })).toMatchObject(fallback)
    expect(await apply(haiku)).toMatchObject({ applied: haiku })
    expect(await appliedAfter("set_model", {})).toMatchObject(fallback)
  })

  it("rejects unknown settings, and changes nothing", async () => {
    const { client, log } = await connected()
    const before = log.lastSeq
    expect(await client.request("apply_flag_settings", { settings: { teleport: true } })).toMatchObject({
      subtype: "error",
      error: expect.stringContaining("settings.teleport is not a setting of a session"),
    })
    expect(log.lastSeq).toBe(before)
  })
})

describe("set_max_thinking_tokens", () => {
  it("applies to the next request, and null resets it", async () => {
    const { client, session, idle } = await connected(
      {},
      { permissionMode: "bypassPermissions", model: "claude-sonnet-4-5" },
    )
    await client.request("set_max_thinking_tokens", { max_thinking_tokens: 2048 })
    const first = scripted([DONE])
    prompt(session, promptFor(first))
    await idle()
    expect(bodiesOf(first)[0]?.thinking).toMatchObject({ budget_tokens: 2048 })
    await client.request("set_max_thinking_tokens", { max_thinking_tokens: null })
    const second = scripted([DONE])
    prompt(session, promptFor(second))
    await idle()
    expect(bodiesOf(second)[0]?.thinking).not.toMatchObject({ budget_tokens: 2048 })
    expect(await client.request("set_max_thinking_tokens", { max_thinking_tokens: -1 })).toMatchObject({
      subtype: "error",
    })
  })
})

describe("set_max_thinking_tokens with thinking_display", () => {
  const ADAPTIVE = { type: "adaptive" } as const
  it.each<[string, SessionOptions, object, object]>([
    [
      "alone shows adaptive thinking",
      {},
      { thinking_display: "omitted" },
      { thinking: { ...ADAPTIVE, display: "omitted" } },
    ],
    [
      "keeps the budget that it does not name",
      { maxThinkingTokens: 2048 },
      { thinking_display: "highlights" },
      { maxThinkingTokens: 2048, thinking: { type: "enabled", budgetTokens: 2048, display: "highlights" } },
    ],
    [
      "is kept by a new budget",
      { thinking: { ...ADAPTIVE, display: "omitted" } },
      { max_thinking_tokens: 4096 },
      { maxThinkingTokens: 4096, thinking: { type: "enabled", budgetTokens: 4096, display: "omitted" } },
    ],
    [
      "null takes the display away and leaves the thinking",
      { thinking: { ...ADAPTIVE, display: "omitted" } },
      { thinking_display: null },
      { thinking: ADAPTIVE },
    ],
    [
      "does not turn thinking on",
      { thinking: { type: "disabled" } },
      { thinking_display: "omitted" },
      { thinking: { type: "disabled" } },
    ],
    ["nothing at all changes nothing", { maxThinkingTokens: 2048 }, {}, { maxThinkingTokens: 2048 }],
    [
      "raises a budget that is too small to name",
      { maxThinkingTokens: 5 },
      { thinking_display: "summarized" },
      { maxThinkingTokens: 5, thinking: { type: "enabled", budgetTokens: 1024, display: "summarized" } },
    ],
  ])("%s", async (_, options, fields, expected) => {
    const { client, session } = await connected({}, options)
    expect(await client.request("set_max_thinking_tokens", fields)).toMatchObject({ subtype: "success" })
    const { thinking, maxThinkingTokens } = session.record.options
    expect({ thinking, maxThinkingTokens }).toEqual(expected)
  })
})

describe("rewind_files", () => {
  it("brings the files back to a prompt, only between turns", async () => {
    const { client, session, idle, workspace } = await connected()
    const first = prompt(
      session,
      promptFor(scripted([{ content: [call("Write", { file_path: "/workspace/a", content: "1" })] }, DONE])),
    )
    await idle()
    expect(await client.request("rewind_files", { user_message_id: first, dry_run: true })).toMatchObject({
      response: { canRewind: true, filesChanged: ["/workspace/a"] },
    })
    expect(workspace.exists("/workspace/a")).toBe(true)
    expect(await client.request("rewind_files", { user_message_id: first })).toMatchObject({
      response: { canRewind: true },
    })
    expect(workspace.exists("/workspace/a")).toBe(false)
    expect(await client.request("rewind_files", { user_message_id: crypto.randomUUID() })).toMatchObject({
      subtype: "error",
    })
  })
})
