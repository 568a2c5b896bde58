// What a ticket's client may send, by its roles; what no ticket may loosen, whatever its roles; what needs the scope
// bypass. Every case is sent to a session for real.
import { describe, expect, it } from "vitest"
import { type Actor, ROLES, rolesOf, type Scope, SCOPES, type TicketRole } from "../../../src/schemas/access.ts"
import { CONTROL_SUBTYPES } from "../../../src/schemas/sdk/control/control.ts"
import { ClientRequests } from "../../../src/schemas/sdk/control/control-requests.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { ROLE_OF_REQUEST } from "../../../src/session/access/frame-roles.ts"
import { refusalOf } from "../../../src/session/access/rights.ts"
import { DONE, loop, payloadsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import type { SessionClient } from "../../support/session/session-client.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { BYPASSES, LOOSENINGS, OPENED, REQUESTS, TIGHTENINGS, UPDATES } from "./ticket-roles-table.ts"

const made = loop()

const ticketOf = (roles: ReadonlyArray<TicketRole>, more: Partial<Actor> = {}): Actor => ({
  key: "0123456789abcdef",
  ticket: `ticket-${roles.join("-")}`,
  address: "203.0.113.7",
  roles,
  bypass: false,
  files: true,
  generation: 0,
  expires: null,
  checked: 0,
  ...more,
})

const keyOf = (scopes: ReadonlyArray<Scope>): Actor => {
  const { ticket: _, ...key } = ticketOf(rolesOf(scopes), {
    bypass: scopes.includes("bypass"),
    files: scopes.includes("files"),
  })
  return key
}

/** A session, and a client with these rights on it. */
const join = (actor: Actor, options: SessionOptions = OPENED) => {
  const harness = made.harnessOf(options)
  const booted = harness.boot()
  return { ...booted, harness, client: harness.connect({}, undefined, actor) }
}

type Joined = ReturnType<typeof join>

const stateOf = ({ session, log, clients }: Joined) =>
  JSON.stringify([session.record, log.lastSeq, clients.registration.hooks, clients.registration.sdk_servers])

const refused = (answer: Readonly<Record<string, unknown>>): boolean => answer["error_code"] === "permission_error"

const GROUPS: ReadonlyArray<ReadonlyArray<TicketRole>> = [
  ...ROLES.map((role) => [role]),
  ["observe", "prompt", "answer"],
]

describe(`the ${CONTROL_SUBTYPES.length} control requests × ${GROUPS.length + 1} sets of roles`, () => {
  it("each is in the table, for the role that it needs", () => {
    expect(Object.keys(ROLE_OF_REQUEST).toSorted()).toEqual([...Object.keys(ClientRequests), "mcp_message"].toSorted())
  })

  it.each([...GROUPS, [...ROLES]])(
    "a ticket with %s sends what its roles allow and changes nothing with the rest",
    async (...roles) => {
      // Nothing was set that a ticket could loosen.
      const subject = join(ticketOf(roles), {})
      for (const subtype of CONTROL_SUBTYPES) {
        const before = stateOf(subject)
        const answer = await subject.client.request(subtype, REQUESTS[subtype])
        const needed = subtype === "initialize" ? "control" : Reflect.get(ROLE_OF_REQUEST, subtype)
        const may = needed !== undefined && roles.includes(needed as TicketRole)
        // Every client begins with `initialize`, which takes `observe`; what this one brings takes `control` too.
        const withheld = subtype === "initialize" ? !may || !roles.includes("observe") : !may
        expect(refused(answer), `${subtype} with ${roles.join()}`).toBe(withheld)
        if (!may) expect(stateOf(subject), subtype).toBe(before)
        if (!may) expect(String(answer["error"]), subtype).toContain("role")
      }
    },
  )

  it("observe and prompt never change what a session is, whatever they may send", async () => {
    for (const roles of [["observe"], ["prompt"], ["answer"], ["observe", "prompt", "answer"]] as const) {
      const subject = join(ticketOf(roles))
      const before = stateOf(subject)
      for (const subtype of CONTROL_SUBTYPES) await subject.client.request(subtype, REQUESTS[subtype])
      expect(stateOf(subject), roles.join()).toBe(before)
    }
  })

  it("a subtype or a request id that is no text harms nothing, and what follows it is answered", async () => {
    const { client } = join(ticketOf(["observe"]))
    const odd = { toString: 1, valueOf: null }
    client.send({ type: "control_request", request_id: "odd", request: { subtype: odd } })
    client.send({ type: "control_response", response: { subtype: "success", request_id: odd } })
    client.send({ type: "control_response", response: { subtype: odd, request_id: "x" } })
    client.send({ type: "control_request", request_id: "none", request: null })
    expect(await client.request("get_binary_version")).toMatchObject({ subtype: "success" })
    expect(client.answersTo("odd")).toMatchObject([{ subtype: "error" }])
  })

  it("an unknown subtype is closed to tickets; a key gets the error that it is not known", async () => {
    const { client } = join(ticketOf(ROLES.filter((role) => role !== "control")))
    expect(refused(await client.request("grant_everything", {}))).toBe(true)
    const key = join(keyOf(SCOPES))
    expect(await key.client.request("grant_everything", {})).toMatchObject({ error_code: "unsupported_request" })
  })

  it("an empty initialize is every client's", async () => {
    const empty = { hooks: {}, sdkMcpServers: [], systemPrompt: [""], title: "", toolAliases: {} }
    const subject = join(ticketOf(["observe"]))
    const before = stateOf(subject)
    expect(await subject.client.request("initialize", empty)).toMatchObject({ subtype: "success" })
    expect(stateOf(subject)).toBe(before)
  })
})

describe(`the ${SCOPES.length} scopes of keys on a socket`, () => {
  it("a key without sessions:write changes nothing, and one without files reads no file", async () => {
    for (const scope of SCOPES.filter((one) => one !== "sessions:write")) {
      const subject = join(keyOf([scope]))
      const before = stateOf(subject)
      for (const subtype of CONTROL_SUBTYPES) await subject.client.request(subtype, REQUESTS[subtype])
      expect(stateOf(subject), scope).toBe(before)
    }
    const { client } = join(keyOf(SCOPES.filter((scope) => scope !== "files")))
    for (const subtype of ["read_file", "file_suggestions", "rewind_files"] as const) {
      expect(await client.request(subtype, REQUESTS[subtype])).toMatchObject({
        error: expect.stringContaining("files"),
      })
    }
  })
})

describe("user messages, answers and interrupts", () => {
  const say = (client: SessionClient, uuid: string = crypto.randomUUID(), text = "hi") => {
    client.send({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null, uuid })
    return uuid
  }

  it("a user message needs the role prompt", async () => {
    for (const role of ROLES) {
      const { client, session, log, idle } = join(ticketOf([role]), {})
      say(client, undefined, promptFor(made.scripted([DONE])))
      expect(session.inbox.head() === undefined, role).toBe(role !== "prompt")
      await idle()
      expect(client.frames.some((frame) => frame.type === "result" && frame["is_error"] === true)).toBe(
        role !== "prompt",
      )
      const [queued] = payloadsOf(eventsOf(log), "turn:queued")
      if (role === "prompt") {
        expect(queued?.["actor"]).toEqual({ key: "0123456789abcdef", ticket: "ticket-prompt", address: "203.0.113.7" })
      }
    }
  })

  it("takes back its own prompts alone, unless it has control", async () => {
    const { client, session, harness, stopTurn, idle } = join(ticketOf(["prompt"]), { permission_prompts: "ask" })
    const script = made.scripted([{ content: [call("Write", { file_path: "/workspace/a", content: "x" })] }, DONE])
    prompt(session, promptFor(script))
    await until(() => session.askStore.open.length > 0)
    const other = harness.connect({}, undefined, ticketOf(["prompt"], { ticket: "another" }))
    const chief = harness.connect({}, undefined, ticketOf(["control", "prompt"]))
    const [mine, theirs] = [say(client), say(other)]
    expect(await client.request("cancel_async_message", { message_uuid: theirs })).toMatchObject({
      response: { cancelled: false },
    })
    expect(await client.request("cancel_async_message", { message_uuid: mine })).toMatchObject({
      response: { cancelled: true },
    })
    expect(await chief.request("cancel_async_message", { message_uuid: theirs })).toMatchObject({
      response: { cancelled: true },
    })
    await stopTurn()
    await idle()
  })

  /** A session that asks about a call of Bash. */
  const asking = async (actor: Actor, options: SessionOptions = { ...OPENED, outputFormat: undefined } as never) => {
    const { outputFormat: _, ...rest } = options
    const joined = join(actor, { ...rest, permission_prompts: "ask" })
    const script = made.scripted([{ content: [call("Bash", { command: "touch a", description: "d" })] }, DONE])
    prompt(joined.session, promptFor(script))
    await until(() => joined.session.askStore.open.length > 0)
    const [ask] = joined.session.askStore.open
    return { ...joined, ask: ask! }
  }

  it("only the role answer is asked and answers; a client without it settles nothing", async () => {
    for (const role of ROLES) {
      const { client, harness, ask, session, log, stopTurn, idle } = await asking(ticketOf([role]))
      expect(client.asked("can_use_tool").length > 0, role).toBe(role === "answer")
      // Nor when it comes back, or begins.
      const again = harness.connect({}, undefined, ticketOf([role, "observe"]))
      harness.attach(again, 1, ticketOf([role, "observe"]))
      const begun = await again.request("initialize")
      await until(() => again.frames.some((frame) => frame.type === "control_response"))
      expect(again.asked("can_use_tool").length > 0, role).toBe(role === "answer")
      expect("pending_permission_requests" in begun, role).toBe(role === "answer")
      client.answer(ask.requestId, { behavior: "deny", message: "no" })
      expect(session.askStore.open.length === 0, role).toBe(role === "answer")
      if (role === "answer") {
        expect(payloadsOf(eventsOf(log), "ask:settled")[0]?.["actor"]).toMatchObject({ ticket: "ticket-answer" })
      } else {
        await until(() => client.answersTo(ask.requestId).length > 0)
        expect(client.answersTo(ask.requestId)).toMatchObject([{ subtype: "error", error_code: "permission_error" }])
        client.send({ type: "control_response", response: { subtype: "error", request_id: ask.requestId, error: "x" } })
        client.send({ type: "control_response", response: { request_id: ask.requestId } })
        expect(session.askStore.open).toHaveLength(1)
      }
      await stopTurn()
      await idle()
    }
  })

  it(`${UPDATES.length} permission updates that no question suggested are refused to a ticket, over both doors`, async () => {
    const { client, ask, session, stopTurn, idle } = await asking(ticketOf(["answer"]))
    for (const [what, update] of UPDATES) {
      const answer = { behavior: "allow", updatedInput: ask.ask.input, updatedPermissions: [update] }
      client.answer(ask.requestId, answer)
      expect(session.askStore.open, what).toHaveLength(1)
      const direct = session.asks.answer(ask.requestId, answer, undefined, ticketOf(["answer"]))
      expect(direct, what).toMatchObject({ refused: { type: "permission_error" } })
    }
    const other = { behavior: "allow", updatedInput: { ...ask.ask.input, command: "touch b" } }
    client.answer(ask.requestId, other)
    expect(session.askStore.open).toHaveLength(1)
    const suggested = ask.ask.suggestions ?? []
    expect(suggested.length).toBeGreaterThan(0)
    client.answer(ask.requestId, { behavior: "allow", updatedInput: ask.ask.input, updatedPermissions: suggested })
    expect(session.askStore.open).toHaveLength(0)
    await idle()
    await stopTurn()
  })

  it("with control an answer may change rules, but loosens none", async () => {
    const { client, ask, session, idle } = await asking(ticketOf([...ROLES]))
    const loosening = UPDATES.filter(([what]) => !/^(?:a deny rule|no ask rules|no directory|edits)/.test(what))
    for (const [what, update] of loosening) {
      client.answer(ask.requestId, { behavior: "allow", updatedPermissions: [update] })
      expect(session.askStore.open, what).toHaveLength(1)
    }
    client.answer(ask.requestId, { behavior: "allow", updatedInput: { ...ask.ask.input, command: "touch b" } })
    expect(session.askStore.open).toHaveLength(0)
    await idle()
  })
})

describe("through a ticket with every role", () => {
  it.each(LOOSENINGS)("%s can't be loosened, and the session stays as it was", async (_, subtype, fields) => {
    const subject = join(ticketOf([...ROLES]))
    const before = stateOf(subject)
    const answer = await subject.client.request(subtype, fields)
    expect(answer).toMatchObject({ subtype: "error" })
    expect(stateOf(subject)).toBe(before)
    // The owner may do all of it, but what the settings or the opening of the session forbid to everyone.
    const owner = await join(keyOf(SCOPES)).client.request(subtype, fields)
    expect(refused(owner)).toBe(false)
  })

  it.each(TIGHTENINGS)("%s can be set", async (_, subtype, fields) => {
    const { client, session } = join(ticketOf([...ROLES]))
    expect(await client.request(subtype, fields)).toMatchObject({ subtype: "success" })
    expect(session.record.options.systemPrompt).toBe(OPENED.systemPrompt)
  })

  it("a session that was opened without asks stays so", async () => {
    const { client, session } = join(ticketOf([...ROLES]), { permissionMode: "dontAsk" })
    for (const mode of ["default", "acceptEdits", "bypassPermissions", "auto"]) {
      expect(await client.request("set_permission_mode", { mode })).toMatchObject({ subtype: "error" })
    }
    expect(await client.request("set_permission_mode", { mode: "plan" })).toMatchObject({ subtype: "success" })
    expect(await client.request("set_permission_mode", { mode: "default" })).toMatchObject({ subtype: "error" })
    expect(session.permissions.policy().mode).toBe("plan")
  })

  it("no ticket takes the place of a key's client: not by its name, nor when it has gone", async () => {
    const harness = made.harnessOf(OPENED)
    const { clients } = harness.boot()
    const app = harness.connect({ PreToolUse: {} }, "app", keyOf(SCOPES))
    await app.initialize()
    const registered = clients.registration
    const page = harness.connect({ Stop: {} }, "app", ticketOf([...ROLES]))
    const answer = await page.initialize()
    expect(answer).toMatchObject({ response: { hooks_applied: false } })
    harness.detach(app, true)
    await harness.connect({ Stop: {} }, "other", ticketOf([...ROLES])).initialize()
    await harness.connect({}, "third", ticketOf(["observe"])).initialize()
    expect(clients.registration).toEqual(registered)
  })

  it("a hook's approval counts where the ticket may answer, and its changes of permissions never", async () => {
    const approve = {
      PreToolUse: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } },
      PermissionRequest: {
        hookSpecificOutput: {
          hookEventName: "PermissionRequest",
          decision: {
            behavior: "allow",
            updatedPermissions: [
              { type: "replaceRules", behavior: "deny", rules: [], destination: "cliArg" },
              { type: "setMode", mode: "acceptEdits", destination: "session" },
            ],
          },
        },
      },
    }
    for (const [roles, runs] of [
      [["observe", "control"], false],
      [["observe", "control", "answer"], true],
    ] as const) {
      const harness = made.harnessOf({ disallowedTools: ["WebFetch"], permission_prompts: "deny" })
      const { session, workspace, idle } = harness.boot()
      const client = harness.connect(approve, undefined, ticketOf(roles))
      await client.initialize()
      const script = made.scripted([{ content: [call("Write", { file_path: "/workspace/a", content: "x" })] }, DONE])
      prompt(session, promptFor(script))
      await idle()
      expect(client.called.length).toBeGreaterThan(0)
      expect(workspace.exists("/workspace/a"), roles.join()).toBe(runs)
      expect(session.record.permission_updates).toEqual([])
    }
  })
})

describe(`the scope bypass, for ${BYPASSES.length} options by every path of a session`, () => {
  const without = keyOf(SCOPES.filter((scope) => scope !== "bypass"))
  const nothing = { options: {}, permission_updates: [] }

  it.each(BYPASSES)("%s is refused without it, by name", (field, options) => {
    const after = { options, permission_updates: [] }
    for (const by of [without, ticketOf([...ROLES]), ticketOf([...ROLES])]) {
      // Made, taken up, and as a copy whose own request names nothing.
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
    expect(session.resumption.takeUp({ options, actor: without })).toMatchObject(refusal)
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

  it("by settings that no longer hold the mode back", () => {
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

  it("by the answer to a plan, in its short form and as canUseTool gives it", async () => {
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
      expect(session.asks.answer(requestId, answer, undefined, without)).toMatchObject({
        refused: { type: "permission_error" },
      })
    }
    client.answer(requestId, { behavior: "allow", updatedPermissions: [update] })
    expect(session.askStore.open).toHaveLength(1)
    await stopTurn()
    await idle()
  })
})
