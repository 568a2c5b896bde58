// What requires the scope `bypass`, on every path into a session.
import { describe, expect, it } from "vitest"
import { ROLES, SCOPES } from "../../../src/schemas/access.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { refusalOf } from "../../../src/session/access/rights.ts"
import { DONE, loop, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { BYPASSES } from "./ticket-roles-table.ts"
import { joining, keyOf, refused, ticketOf } from "./actors.ts"

const made = loop()
const join = joining(made)

type Joined = ReturnType<typeof join>

const stateOf = ({ session, log, clients }: Joined) =>
  JSON.stringify([session.record, log.lastSeq, clients.registration.hooks, clients.registration.sdk_servers])

describe(`the scope bypass, for ${BYPASSES.length} options on every path into a session`, () => {
  const without = keyOf(SCOPES.filter((scope) => scope !== "bypass"))
  const nothing = { options: {}, permission_updates: [] }

  it.each(BYPASSES)("%s is refused without it, and the error names the scope", (field, options) => {
    const after = { options, permission_updates: [] }
    for (const by of [without, ticketOf([...ROLES]), ticketOf([...ROLES])]) {
      // Created, resumed, and as a fork whose own request sets nothing.
      const refusal = { refused: { type: "permission_error", field } }
      expect(refusalOf(by, { before: null, after, named: { options } })).toMatchObject(refusal)
      expect(refusalOf(by, { before: nothing, after, named: { options } })).toMatchObject(refusal)
      expect(refusalOf(by, { before: after, after, named: { options } })).toMatchObject(refusal)
      if (!field.includes("defaultMode")) {
        expect(refusalOf(by, { before: null, after, named: {} })).toMatchObject({
          refused: { type: "permission_error" },
        })
      }
    }
    expect(refusalOf(keyOf(SCOPES), { before: null, after, named: { options } })).toBeUndefined()
    expect(refusalOf(undefined, { before: null, after, named: { options } })).toBeUndefined()
  })

  it.each(BYPASSES)("%s by PATCH, by a turn's options and by resuming", (field, options) => {
    const subject = join(without, {})
    const { session } = subject
    const before = stateOf(subject)
    const turn = { turn: crypto.randomUUID(), prompt: "x", onBusy: "queue", fingerprint: "f" } as const
    const refusal = { refused: { type: "permission_error", field } }
    expect(session.changes.patch({ options }, without)).toMatchObject(refusal)
    expect(session.prompts.submit({ ...turn, options, actor: without })).toMatchObject(refusal)
    expect(session.resumption.resume({ options, actor: without })).toMatchObject(refusal)
    expect(stateOf(subject)).toBe(before)
    expect(session.changes.patch({ options }, keyOf(SCOPES))).toBeUndefined()
  })

  it("by the mode, the settings and the initialize of a socket", async () => {
    const open = { allowDangerouslySkipPermissions: true }
    const { client, session } = join(without, open)
    expect(refused(await client.request("set_permission_mode", { mode: "bypassPermissions" }))).toBe(true)
    const permissions = { defaultMode: "bypassPermissions" }
    expect(refused(await client.request("apply_flag_settings", { settings: { permissions } }))).toBe(true)
    expect(session.permissions.policy().mode).toBe("default")
    const owner = join(keyOf(SCOPES), open)
    expect(await owner.client.request("set_permission_mode", { mode: "bypassPermissions" })).toMatchObject({
      subtype: "success",
    })
  })

  it("by settings that no longer restrict the mode", () => {
    const held: SessionOptions = {
      permissionMode: "bypassPermissions",
      settings: { permissions: { disableBypassPermissionsMode: "disable" } },
    }
    const { session } = join(without, held)
    expect(session.changes.patch({ options: { settings: {} } }, without)).toMatchObject({
      refused: { type: "permission_error", field: "options.permissionMode" },
    })
    const turn = { turn: crypto.randomUUID(), prompt: "x", onBusy: "queue", fingerprint: "f" } as const
    expect(session.prompts.submit({ ...turn, options: { settings: {} }, actor: without })).toMatchObject({
      refused: { field: "options.permissionMode" },
    })
  })

  it("by the hooks of a client", async () => {
    const update = { type: "setMode", mode: "bypassPermissions", destination: "session" }
    const decision = { behavior: "allow", updatedPermissions: [update] }
    const hooks = { PermissionRequest: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } } }
    for (const [actor, mode] of [
      [without, "default"],
      [keyOf(SCOPES), "bypassPermissions"],
    ] as const) {
      const harness = made.harnessOf({ allowDangerouslySkipPermissions: true, permission_prompts: "ask" })
      const { session, idle } = harness.boot()
      await harness.connect(hooks, undefined, actor).initialize()
      const script = made.scripted([{ content: [call("Write", { file_path: "/workspace/a", content: "x" })] }, DONE])
      prompt(session, promptFor(script))
      await idle()
      expect(session.permissions.policy().mode).toBe(mode)
    }
  })

  it("by the answer to a plan, in its short form and as canUseTool returns it", async () => {
    const { session, client, stopTurn, idle } = join(without, {
      permissionMode: "plan",
      allowDangerouslySkipPermissions: true,
      permission_prompts: "ask",
    })
    prompt(session, promptFor(made.scripted([{ content: [call("ExitPlanMode", { plan: "p" })] }, DONE])))
    await until(() => session.askStore.open.length > 0)
    const { requestId } = session.askStore.open[0]!
    const mode = "bypassPermissions"
    const update = { type: "setMode", mode, destination: "session" }
    for (const answer of [
      { behavior: "allow", permissionMode: mode },
      { behavior: "allow", updatedPermissions: [update] },
    ]) {
      expect(session.asks.answer(requestId, answer, { actor: without })).toMatchObject({
        refused: { type: "permission_error" },
      })
    }
    client.answer(requestId, { behavior: "allow", updatedPermissions: [update] })
    expect(session.askStore.open).toHaveLength(1)
    await stopTurn()
    await idle()
  })
})
