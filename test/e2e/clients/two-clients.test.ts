// Two clients of the control protocol on one session, and REST as well: which client is asked, whose answer counts, and what
// happens to an ask when its client is gone.
import { describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { type Ask, type Event, eventually, PerchClient } from "../../support/server/client.ts"
import { ControlSocket, type Frame } from "../../support/server/control-socket.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const PATH = "/workspace/asked.txt"
const ALLOW = { behavior: "allow" }

/** A session in mode `default` whose script writes a file and ends. */
const writingSession = async (name: string, options: Readonly<Record<string, unknown>> = {}) => {
  const script = scriptName(name)
  const write = call("Write", { file_path: PATH, content: "written\n" })
  await api.set(script, [{ content: [write] }, textAnswer("Finished.")])
  const id = await perch.createSession({ permissionMode: "default", ...options })
  return { id, write, prompt: promptFor(script) }
}

const open = (id: string, options = {}) => ControlSocket.open(shared, id, options)

/** The same with a prompt that was sent over a socket and waits for permission. */
const askedOverSocket = async (name: string) => {
  const session = await writingSession(name)
  const first = await open(session.id)
  await first.request({ subtype: "initialize" })
  first.prompt(session.prompt)
  return { ...session, first, ask: await first.asked("can_use_tool") }
}

const hooks = (callback: string) => ({
  PreToolUse: [{ hookCallbackIds: [callback] }],
  PostToolUse: [{ matcher: "Write", hookCallbackIds: [callback] }],
})

const settled = (events: ReadonlyArray<Event>) => events.filter(({ name }) => name === "ask:settled")

const isControl = ({ type }: Frame) => type === "control_request" || type === "control_cancel_request"

describe("hooks of two clients", () => {
  it("belong to the first that registers some: only it is called, once for each event", async () => {
    const { id, prompt, write } = await writingSession("owner", {
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
    })
    const [first, second] = await Promise.all([open(id), open(id)])
    const applied = async (socket: ControlSocket) =>
      (await socket.request({ subtype: "initialize", hooks: hooks("hook_0") })).response?.["hooks_applied"]
    expect(await applied(first)).toBe(true)
    expect(await applied(second)).toBe(false)

    second.prompt(prompt)
    for (const event of ["PreToolUse", "PostToolUse"]) {
      const asked = await first.asked("hook_callback")
      expect(asked.request).toMatchObject({
        callback_id: "hook_0",
        tool_use_id: write.id,
        input: { hook_event_name: event, tool_name: "Write" },
      })
      // An answer of another client changes nothing.
      second.answer(asked, { decision: "block", reason: "not mine" })
      await second.request({ subtype: "get_binary_version" })
      first.answer(asked, {})
    }
    for (const socket of [first, second]) expect(await socket.result()).toMatchObject({ subtype: "success" })
    expect(first.requests("hook_callback")).toHaveLength(2)
    expect(second.requests("hook_callback")).toEqual([])
    expect(await perch.getFile(id, PATH)).toBe("written\n")
    await Promise.all([first.close(), second.close()])
  })

  it("pass to the next client once their owner has closed its socket", async () => {
    const { id } = await writingSession("heir")
    const [first, second] = await Promise.all([open(id), open(id)])
    await first.request({ subtype: "initialize", hooks: hooks("hook_0") })
    await first.close()
    const answer = await eventually(async () => {
      const { response } = await second.request({ subtype: "initialize", hooks: hooks("hook_9") })
      return response?.["hooks_applied"] === true ? response : undefined
    })
    expect(answer).toMatchObject({ hooks_applied: true })
    const { response } = await second.request({ subtype: "get_hooks_listing" })
    const row = { type: "callback", commandText: "hook_9" }
    expect(response).toMatchObject({
      hooks: [
        { event: "PreToolUse", matcher: "", ...row },
        { event: "PostToolUse", matcher: "Write", ...row },
      ],
    })
    await second.close()
  })
})

describe("a permission ask with two clients", () => {
  it("is sent to both, and the first of two answers settles it once", async () => {
    const { id, first, ask, write } = await askedOverSocket("race")
    // The second connects later: the open ask is in the answer to its `initialize`, complete, and is not sent separately.
    const second = await open(id)
    const { pending_permission_requests: pending } = await second.request({ subtype: "initialize" })
    expect(pending).toEqual([ask])
    expect(ask.request).toMatchObject({ tool_name: "Write", input: write.input, tool_use_id: write.id })
    expect(second.requests("can_use_tool")).toEqual([])

    first.answer(ask, ALLOW)
    second.answer(ask, { behavior: "deny", message: "too late" })
    const results = await Promise.all([first.result(), second.result()])
    const file = await perch.getFile(id, PATH)
    const [winner, loser] = file === null ? [second, first] : [first, second]
    const denials = file === null ? [{ tool_name: "Write" }] : []
    for (const result of results) expect(result).toMatchObject({ subtype: "success", permission_denials: denials })
    expect(settled(await perch.events(id))).toHaveLength(1)
    // The loser's ask is withdrawn, like that of any client whose answer was not needed; an answer is not answered.
    const cancel = { type: "control_cancel_request", request_id: ask.request_id }
    expect(loser.frames.filter(({ type }) => type === "control_cancel_request")).toEqual([cancel])
    expect(winner.frames.filter(({ type }) => type === "control_cancel_request")).toEqual([])
    for (const socket of [first, second]) {
      const answers = socket.frames.filter(({ type }) => type === "control_response")
      expect(answers).toHaveLength(1)
      await socket.close()
    }
  })

  it("is sent once to each of two attached sockets", async () => {
    const { id, prompt } = await writingSession("both")
    const [first, second] = await Promise.all([open(id), open(id)])
    await Promise.all([first, second].map((socket) => socket.request({ subtype: "initialize" })))
    first.prompt(prompt)
    const [ask, same] = await Promise.all([first.asked("can_use_tool"), second.asked("can_use_tool")])
    expect(same).toEqual(ask)
    second.answer(ask, ALLOW)
    expect(await first.result()).toMatchObject({ subtype: "success" })
    await second.result()
    for (const socket of [first, second]) {
      expect(socket.requests("can_use_tool")).toHaveLength(1)
      await socket.close()
    }
  })

  it("is sent once to a client that reconnects while it is open; once it is settled, such a client gets its withdrawal", async () => {
    const { id, first, ask } = await askedOverSocket("replay")
    const early = await open(id, { after: 1 })
    expect(await early.asked("can_use_tool")).toEqual(ask)
    first.answer(ask, ALLOW)
    await early.result()
    expect(early.requests("can_use_tool")).toHaveLength(1)

    for (const after of [0, 1]) {
      const late = await open(id, { after })
      expect(await late.result()).toMatchObject({ subtype: "success" })
      const { pending_permission_requests: pending } = await late.request({ subtype: "initialize" })
      expect(pending).toBeUndefined()
      // One that has read some of the log may show the ask.
      const withdrawal = { type: "control_cancel_request", request_id: ask.request_id }
      expect(late.frames.filter(isControl)).toEqual(after === 0 ? [] : [withdrawal])
      await late.close()
    }
    await Promise.all([first.close(), early.close()])
  })
})

describe("a permission ask over the socket and REST", () => {
  it("sent over a socket is answered over REST after the client has disconnected; a different answer is a conflict", async () => {
    const { id, first, ask } = await askedOverSocket("gone")
    await first.close(true)
    const [pending] = await perch.asks(id)
    expect(pending).toMatchObject({ request_id: ask.request_id, kind: "permission", tool_name: "Write" })
    await perch.answer(id, String(ask.request_id), ALLOW)
    const events = await perch.eventsUntilResults(id, 1)
    expect(await perch.getFile(id, PATH)).toBe("written\n")
    await perch.answer(id, String(ask.request_id), ALLOW)
    await perch.answer(id, String(ask.request_id), { behavior: "deny", message: "no" }, 409)
    expect(settled(await perch.events(id))).toEqual(settled(events))
    expect(settled(events)).toHaveLength(1)
  })

  it("opened by a REST query is answered over a socket; the same answer over REST is accepted, a different one is a conflict", async () => {
    const { id, prompt, write } = await writingSession("rest")
    const { pending: asked } = await perch.json<{ pending: ReadonlyArray<Ask> }>("POST", `/v1/sessions/${id}/query`, {
      json: { prompt },
      status: 202,
    })
    const socket = await open(id)
    const { pending_permission_requests: pending } = await socket.request({ subtype: "initialize" })
    expect(pending).toMatchObject([{ request_id: asked[0]?.request_id, request: { tool_use_id: write.id } }])
    const deny = { behavior: "deny", message: "Not now." }
    socket.answer(pending![0]!, { ...deny, toolUseID: write.id })
    expect(await socket.result()).toMatchObject({ permission_denials: [{ tool_use_id: write.id }] })
    await perch.answer(id, asked[0]!.request_id, deny)
    await perch.answer(id, asked[0]!.request_id, ALLOW, 409)
    expect(await perch.getFile(id, PATH)).toBeNull()
    await socket.close()
  })
})

describe("a permission ask without an answer in time", () => {
  it.each([
    ["is denied, and its client is notified", true],
    ["is denied although no client is there", false],
  ])("%s", async (_title, attached) => {
    const { id, prompt, write } = await writingSession("late", { ask_timeout_ms: 1000 })
    const socket = attached ? await open(id) : undefined
    await perch.submit(id, prompt)
    const events = await perch.eventsUntilResults(id, 1)
    const [opened] = events.filter(({ name }) => name === "ask:opened")
    const [expired, ...more] = settled(events)
    expect(more).toEqual([])
    expect(expired?.payload).toMatchObject({ by: "expiry", answer: { behavior: "deny" } })
    const end = Number(opened!.payload["expires_at"])
    expect(end - opened!.at).toBeLessThanOrEqual(1000)
    expect(expired!.at).toBeGreaterThanOrEqual(end)
    const result = events.find(({ name }) => name.startsWith("sdk:result"))
    expect(result?.payload.permission_denials).toMatchObject([{ tool_use_id: write.id }])
    expect(await perch.getFile(id, PATH)).toBeNull()
    if (socket === undefined) return
    const ask = await socket.asked("can_use_tool")
    await socket.next(
      ({ type, request_id: cancelled }) => type === "control_cancel_request" && cancelled === ask.request_id,
    )
    await socket.close()
  })
})
