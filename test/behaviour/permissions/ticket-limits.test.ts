// The effect of prompts, answers and interrupts of a ticket's client, by its roles; and what no ticket may loosen, whatever its
// roles.
import { describe, expect, it } from "vitest"
import { type Actor, ROLES, SCOPES } from "../../../src/schemas/access.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { DONE, loop, payloadsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import type { SessionClient } from "../../support/session/session-client.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { kept, LOOSENINGS, OPENED, REMOVALS, TIGHTENINGS, UPDATES } from "./ticket-roles-table.ts"
import { joining, keyOf, refused, ticketOf } from "./actors.ts"

const made = loop()
const join = joining(made)

type Joined = ReturnType<typeof join>

const stateOf = ({ session, log, clients }: Joined) =>
  JSON.stringify([session.record, log.lastSeq, clients.registration.hooks, clients.registration.sdk_servers])

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

  it("withdraws only its own prompts, unless it has control", async () => {
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

  it("only the role answer receives asks and answers them; a client without it settles nothing", async () => {
    for (const role of ROLES) {
      const { client, harness, ask, session, log, stopTurn, idle } = await asking(ticketOf([role]))
      expect(client.asked("can_use_tool").length > 0, role).toBe(role === "answer")
      // The same when it reconnects or initializes.
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

  it(`${UPDATES.length} permission updates that no ask suggested are refused to a ticket, over HTTP and socket`, async () => {
    const { client, ask, session, stopTurn, idle } = await asking(ticketOf(["answer"]))
    for (const [what, update] of UPDATES) {
      const answer = { behavior: "allow", updatedInput: ask.ask.input, updatedPermissions: [update] }
      client.answer(ask.requestId, answer)
      expect(session.askStore.open, what).toHaveLength(1)
      const direct = session.asks.answer(ask.requestId, answer, { actor: ticketOf(["answer"]) })
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
  it.each(LOOSENINGS)("%s can't be loosened, and the session stays unchanged", async (_, subtype, fields) => {
    const subject = join(ticketOf([...ROLES]))
    const before = stateOf(subject)
    const answer = await subject.client.request(subtype, fields)
    expect(answer).toMatchObject({ subtype: "error" })
    expect(stateOf(subject)).toBe(before)
    // The owner may do all of it, except what the settings or the session's opening options forbid to everyone.
    const owner = await join(keyOf(SCOPES)).client.request(subtype, fields)
    expect(refused(owner)).toBe(false)
  })

  it.each(REMOVALS)("%s can't be loosened if the owner applied them", async (_, subtype, fields) => {
    const { settings, ...opened } = OPENED
    const owner = join(keyOf(SCOPES), opened)
    expect(await owner.client.request("apply_flag_settings", { settings })).toMatchObject({ subtype: "success" })
    const page = owner.harness.connect({}, "page", ticketOf([...ROLES]))
    const before = stateOf(owner)
    expect(await page.request(subtype, fields)).toMatchObject({ subtype: "error" })
    expect(stateOf(owner)).toBe(before)
  })

  it.each(REMOVALS)("%s that the session was opened with stay", async (_, subtype, fields) => {
    const { client, session } = join(ticketOf([...ROLES]))
    expect(await client.request(subtype, fields)).toMatchObject({ subtype: "success" })
    const { deny, ask } = kept
    expect(session.record.options.settings?.permissions).toMatchObject({
      ...kept,
      deny: expect.arrayContaining(deny),
      ask: expect.arrayContaining(ask),
    })
  })

  it.each(TIGHTENINGS)("%s can be set", async (_, subtype, fields) => {
    const { client, session } = join(ticketOf([...ROLES]))
    expect(await client.request(subtype, fields)).toMatchObject({ subtype: "success" })
    expect(session.record.options.systemPrompt).toBe(OPENED.systemPrompt)
  })

  it("a session that was opened without asks stays that way", async () => {
    const { client, session } = join(ticketOf([...ROLES]), { permissionMode: "dontAsk" })
    for (const mode of ["default", "acceptEdits", "bypassPermissions", "auto"]) {
      expect(await client.request("set_permission_mode", { mode })).toMatchObject({ subtype: "error" })
    }
    expect(await client.request("set_permission_mode", { mode: "plan" })).toMatchObject({ subtype: "success" })
    expect(await client.request("set_permission_mode", { mode: "default" })).toMatchObject({ subtype: "error" })
    expect(session.permissions.policy().mode).toBe("plan")
  })

  it("no ticket can replace a key's client: neither by its name nor after it has disconnected", async () => {
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

  it("a hook's approval counts if the ticket may answer, and its permission updates never", async () => {
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
