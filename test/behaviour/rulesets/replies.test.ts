// Answers in opencode's terms: once, always, reject; what always saves, which asks it settles, and how it is revoked.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { answerAsk, revokeSaved } from "../../../src/session/asks/answer-ask.ts"
import { pendingAsk } from "../../../src/session/storage/ask-store.ts"
import { keyOf, ticketOf } from "../permissions/actors.ts"
import { DONE, loop, payloadsOf, type Started, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"

const { start, scripted } = loop()

const bash = (command: string) => call("Bash", { command, description: "d" })
const read = (path: string) => call("Read", { file_path: path })

const asking = async (calls: ReadonlyArray<ReturnType<typeof call>>, options: SessionOptions, open = calls.length) => {
  const started = await start([{ content: [...calls] }, DONE], {}, options)
  await until(() => started.session.askStore.open.length === open)
  return started
}
const opened = ({ session }: Pick<Started, "session">) => session.askStore.open.map(pendingAsk)
const reply = ({ session }: Pick<Started, "session">, body: Record<string, unknown>, index = 0) => {
  const refused = session.asks.answer(opened({ session })[index]!.request_id, body)?.refused
  return refused === undefined ? undefined : [refused.message, refused.field]
}
/** Sends another prompt to the session; returns its calls and the asks that they open. */
const again = async (started: Pick<Started, "session" | "idle">, use: ReturnType<typeof call>, asked: boolean) => {
  prompt(started.session, promptFor(scripted([{ content: [use] }, DONE])))
  if (!asked) return started.idle()
  await until(() => started.session.askStore.open.length === 1)
  reply(started, { reply: "once" })
  return started.idle()
}
const asks = (started: Pick<Started, "events">) => payloadsOf(started.events(), "ask:opened").length

describe("always", () => {
  it("saves what the ask offers: the same call runs without an ask, also after a restart, until it is revoked", async () => {
    const started = await asking([bash("npm test --watch")], { permission: "ask" })
    const { session, idle } = started
    expect(opened(started)).toMatchObject([
      {
        permission: "bash",
        patterns: ["npm test --watch"],
        always: [{ permission: "bash", pattern: "npm test *" }],
      },
    ])
    expect(reply(started, { reply: "always" })).toBeUndefined()
    await idle()
    const [settled] = payloadsOf(started.events(), "ask:settled")
    expect(settled).toMatchObject({
      reply: "always",
      saved: [{ permission: "bash", pattern: "npm test *", scope: "session" }],
    })
    await again(started, bash("npm test b"), false)
    await again(started, bash("npm run b"), true)
    expect(asks(started)).toBe(2)

    started.harness.crash()
    const booted = started.harness.boot()
    const [saved] = booted.session.permissions.saved.list()
    expect(saved).toMatchObject({ permission: "bash", pattern: "npm test *" })
    await again(booted, bash("npm test c"), false)
    expect(revokeSaved(booted.session, saved!.id, keyOf(["sessions:write"]))).toEqual({ saved: [] })
    expect(revokeSaved(booted.session, saved!.id, keyOf(["sessions:write"]))).toMatchObject({
      refused: { type: "not_found_error" },
    })
    await again(booted, bash("npm test d"), true)
    expect(booted.session.record).not.toHaveProperty("saved_permissions")
    expect(session.id).toBe(booted.session.id)
  })

  it("settles the other open asks that it covers, and no others", async () => {
    const started = await asking([read("/etc/a"), read("/etc/b"), read("/usr/c")], {})
    expect(opened(started).map(({ always }) => always)).toEqual([
      [{ permission: "external_directory", pattern: "/etc/*" }],
      [{ permission: "external_directory", pattern: "/etc/*" }],
      [{ permission: "external_directory", pattern: "/usr/*" }],
    ])
    reply(started, { reply: "always" })
    expect(opened(started).map(({ patterns }) => patterns)).toEqual([["/usr/c"]])
    const settled = payloadsOf(started.events(), "ask:settled")
    expect(settled.map((one) => one["reply"])).toEqual(["always", "always"])
    expect(settled.filter((one) => "saved" in one)).toHaveLength(1)
    reply(started, { reply: "reject" })
    await started.idle()
  })

  it("of a script that writes a file opens that file, and of an edit all files", async () => {
    const started = await asking([bash("npm test > a.txt")], {})
    expect(opened(started)[0]?.always).toEqual([
      { permission: "bash", pattern: "npm test *" },
      { permission: "edit", pattern: "/workspace/a.txt" },
    ])
    reply(started, { reply: "always" })
    await started.idle()
    await again(started, bash("npm test b > a.txt"), false)
    await again(started, bash("npm test > c.txt"), true)
    prompt(
      started.session,
      promptFor(scripted([{ content: [call("Write", { file_path: "/workspace/d", content: "d" })] }, DONE])),
    )
    await until(() => started.session.askStore.open.length === 1)
    expect(opened(started)[0]?.always).toEqual([{ permission: "edit", pattern: "*" }])
    reply(started, { reply: "once" })
    await started.idle()
  })

  it("is not offered if a rule asks, and is refused by name", async () => {
    const started = await asking([bash("npm test")], { permission: { bash: "ask" } })
    expect(opened(started)).toMatchObject([{ permission: "bash", always: [] }])
    expect(reply(started, { reply: "always" })).toEqual([
      "reply: `always` is not offered for this request: it is asked about each time. Reply `once` or `reject`",
      "reply",
    ])
    expect(reply(started, { reply: "once" })).toBeUndefined()
    await started.idle()
    await again(started, bash("npm test"), true)
  })

  it("never overrides a rule that is written later", async () => {
    const started = await asking([bash("npm test")], { permission: "ask" })
    reply(started, { reply: "always" })
    await started.idle()
    started.session.changes.patch({ options: { permission: { bash: { "npm *": "ask" } } } })
    await again(started, bash("npm test"), true)
    started.session.changes.patch({ options: { permission: { bash: { "npm *": "deny" } } } })
    await again(started, bash("npm test"), false)
    expect(toolResultsOf(started.events()).at(-1)).toMatchObject({ is_error: true })
  })

  it("with the scope tenant is only for keys, and is passed to the route that stores it", async () => {
    const started = await asking([bash("npm test")], { permission: "ask" })
    const { request_id } = opened(started)[0]!
    const body = { reply: "always", scope: "tenant" }
    expect(answerAsk(started.session, request_id, body, ticketOf(["answer"]))).toMatchObject({
      refused: { type: "permission_error", field: "scope" },
    })
    const answer = answerAsk(started.session, request_id, body, keyOf(["sessions:write"]))
    expect(answer).toMatchObject({ status: "settled", saved: [{ pattern: "npm test *", scope: "tenant" }] })
    expect(answerAsk(started.session, request_id, body, keyOf(["sessions:write"]))).toEqual(answer)
    await started.idle()
    await again(started, bash("npm test x"), false)
    const [saved] = started.session.permissions.saved.list()
    expect(revokeSaved(started.session, saved!.id, keyOf(["sessions:write"]))).toMatchObject({
      refused: { message: expect.stringContaining("DELETE /v1/permissions/saved/{id}") as string },
    })
  })
})

describe("reject", () => {
  it("rejects only one call, and its message is sent to the model", async () => {
    const started = await asking([read("/etc/a"), read("/usr/b")], {})
    expect(reply(started, { reply: "reject", message: "Use the copy in /workspace." })).toBeUndefined()
    expect(opened(started).map(({ patterns }) => patterns)).toEqual([["/usr/b"]])
    reply(started, { reply: "reject" })
    await started.idle()
    expect(toolResultsOf(started.events())).toMatchObject([
      { is_error: true, content: "The user rejected this call, with this feedback: Use the copy in /workspace." },
      { is_error: true, content: "The user rejected this call." },
    ])
  })
})

describe("clients of the control protocol", () => {
  it("are asked what rules ask about, without a suggestion, and answer as before", async () => {
    const { client, idle, events } = await start(
      [{ content: [bash("npm test")] }, { content: [bash("git status")] }, DONE],
      {},
      { permission: { bash: { "*": "ask", "git *": "allow" } } },
    )
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    const asked = client.asked("can_use_tool")
    expect(asked).toMatchObject([{ request: { tool_name: "Bash", matched_ask_rule: { tool_name: "bash" } } }])
    expect(asked[0]?.request).not.toHaveProperty("permission_suggestions")
    expect(payloadsOf(events(), "ask:settled")).toMatchObject([{ by: "client", answer: { behavior: "allow" } }])
  })
})

describe("an answer", () => {
  it("has one form or the other, with the fields of its reply", async () => {
    const started = await asking([bash("npm test")], {})
    expect(reply(started, { reply: "once", behavior: "allow" })).toEqual([
      expect.stringContaining("behavior: can't be combined with `reply`"),
      "behavior",
    ])
    expect(reply(started, { reply: "once", message: "x" })?.[1]).toBe("message")
    expect(reply(started, { reply: "once", scope: "session" })?.[1]).toBe("scope")
    expect(reply(started, { reply: "maybe" })?.[1]).toBe("reply")
    expect(reply(started, { reply: "reject", message: "a" })).toBeUndefined()
    await started.idle()
  })

  it("counts once: a repetition is accepted, a different one is a conflict", async () => {
    const started = await asking([bash("npm test")], {})
    const { request_id } = opened(started)[0]!
    const send = (body: Record<string, unknown>) => started.session.asks.answer(request_id, body)?.refused.type
    expect(["once", "once", "always", "reject"].map((one) => send({ reply: one }))).toEqual([
      undefined,
      undefined,
      "conflict_error",
      "conflict_error",
    ])
    expect(send({ behavior: "allow" })).toBeUndefined()
    await started.idle()
  })

  it("of the other form saves nothing: always is then a conflict, and once is a repetition", async () => {
    const started = await asking([bash("npm test")], {})
    const { request_id } = opened(started)[0]!
    const send = (body: Record<string, unknown>) => started.session.asks.answer(request_id, body)?.refused.type
    expect(send({ behavior: "allow" })).toBeUndefined()
    expect(["always", "once"].map((one) => send({ reply: one }))).toEqual(["conflict_error", undefined])
    await started.idle()
  })

  it("to other kinds of asks accepts the replies that they have", async () => {
    const question = {
      question: "Which?",
      header: "Which",
      options: [
        { label: "A", description: "a" },
        { label: "B", description: "b" },
      ],
      multiSelect: false,
    }
    const started = await asking([call("AskUserQuestion", { questions: [question] })], {})
    expect(opened(started)[0]).not.toHaveProperty("always")
    expect(reply(started, { reply: "once" })?.[1]).toBe("reply")
    expect(reply(started, { reply: "reject", message: "Not now." })).toBeUndefined()
    await started.idle()
    expect(toolResultsOf(started.events())).toMatchObject([{ is_error: true }])
  })
})
