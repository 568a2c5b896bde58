// Input from outside in addition to prompts, repeated when the recording is replayed: changes by clients, files, stored
// definitions, and stopped turns.
import { describe, expect, inject, it } from "vitest"
import { ControlSocket } from "../../support/server/control-socket.ts"
import { eventually, type PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { api, documentOf, perch, record, RECORD, tenant } from "./recorded.ts"

const shared = inject("shared")

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const scripted = (...steps: ReadonlyArray<object>): Promise<string> => api.add("outside", steps)
const uses = (name: string, input: Readonly<Record<string, unknown>>) => ({
  content: [text("Next."), call(name, input)],
})
const bash = (command: string) => uses("Bash", { command, description: "d" })
const write = (name: string) => uses("Write", { file_path: `/workspace/${name}`, content: "x" })

const replayed = async (recording: string, client: PerchClient = perch) =>
  client.json("POST", `/v1/recordings/${recording}/replay`, { json: {} })

const EQUAL = { difference: null, not_found: null, equal: true }

describe.concurrent("a replay repeats", () => {
  it("a turn up to the question that it waited for when it was recorded", async () => {
    const name = await scripted(write("a.txt"), textAnswer("end"))
    const id = await perch.createSession({ runtime: { mode: "record" } })
    const { status } = await perch.json<{ status: string }>("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: promptFor(name), options: { permission_prompts: "ask" } },
      headers: { prefer: "respond-async" },
      status: 202,
    })
    expect(status).toBe("running")
    await eventually(async () => {
      const { state } = await perch.json<{ state: string }>("GET", `/v1/sessions/${id}`)
      return state === "requires_action" ? state : undefined
    })
    const recording = await record(id)
    expect(recording).toMatchObject({ finalized: false })
    expect(await replayed(recording.id)).toMatchObject(EQUAL)
  })

  it("what a client of the control protocol changed: mode, model and thinking", async () => {
    const first = await scripted(write("a.txt"), bash("cat a.txt"), textAnswer("end"))
    const second = await scripted(write("b.txt"), textAnswer("end"))
    const id = await perch.createSession({ runtime: { mode: "record" } })
    const socket = await ControlSocket.open(shared, id, {
      onFrame: (frame, self) => {
        if (frame.request?.subtype === "hook_callback") self.answer(frame, {})
        if (frame.request?.subtype === "can_use_tool") {
          self.answer(frame, { behavior: "allow", updatedInput: frame.request["input"] })
        }
      },
    })
    const hooks = { PreToolUse: [{ hookCallbackIds: ["before"] }], PostToolUse: [{ hookCallbackIds: ["after"] }] }
    await socket.request({ subtype: "initialize", hooks })
    socket.prompt(promptFor(first))
    await socket.next(({ type }) => type === "result")
    await socket.request({ subtype: "set_permission_mode", mode: "acceptEdits" })
    await socket.request({ subtype: "set_model", model: "claude-haiku-4-5" })
    await socket.request({ subtype: "set_max_thinking_tokens", max_thinking_tokens: 2000 })
    socket.prompt(promptFor(second))
    await perch.eventsUntilResults(id, 2)
    expect(await replayed((await record(id)).id)).toMatchObject(EQUAL)
  })

  it("images, files, options, compactions and cleared conversations", async () => {
    const [first, second] = [
      await scripted(bash("cat b.txt"), textAnswer("end")),
      await scripted(bash("cat d.txt"), textAnswer("end")),
    ]
    const id = await perch.createSession(RECORD, { "/workspace/b.txt": "bee" })
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }
    await perch.json("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: [{ type: "text", text: promptFor(first) }, picture] },
    })
    await perch.json("PATCH", `/v1/sessions/${id}`, { json: { options: { maxTurns: 7, effort: "low" }, title: "T" } })
    await perch.putFile(id, "/workspace/d.txt", "dee")
    await perch.query(id, promptFor(second))
    await perch.query(id, "/compact")
    await perch.query(id, "/clear")
    await perch.query(id, promptFor(second))
    expect(await replayed((await record(id)).id)).toMatchObject(EQUAL)
  })

  it("what the tenant had stored, for a tenant that lacks it", async () => {
    const owner = await tenant(scriptName("recordings-stored"))
    const stored = { name: "reviewer", description: "Reviews.", prompt: "You review." }
    await owner.json("POST", "/v1/agents", { json: stored, status: 201 })
    const helper = await scripted(textAnswer("Reviewed."))
    const agent = { description: "x", subagent_type: "reviewer", prompt: promptFor(helper), run_in_background: false }
    const id = await owner.createSession(RECORD)
    await owner.query(id, promptFor(await scripted(uses("Agent", agent), textAnswer("end"))))
    const recording = await record(id, {}, owner)
    await owner.json("PUT", "/v1/agents/reviewer", { json: { description: "Reviews.", prompt: "You review well." } })
    expect(await replayed(recording.id, owner)).toMatchObject(EQUAL)
    const other = await tenant(scriptName("recordings-other"))
    const body = await documentOf(recording, owner)
    await other.json("PUT", `/v1/recordings/${recording.id}`, { body, status: 201 })
    expect(await replayed(recording.id, other)).toMatchObject(EQUAL)
  })

  it("that a client stopped a turn, and that another one did by a prompt", async () => {
    const held = await scripted(bash("echo a"), { ...textAnswer("long"), hold: true })
    const id = await perch.createSession(RECORD)
    const asked = (count: number) =>
      eventually(async () => ((await api.requests(held)).length >= count ? true : undefined))
    await perch.submit(id, promptFor(held))
    await asked(2)
    await perch.request("POST", `/v1/sessions/${id}/interrupt`)
    await perch.eventsUntilResults(id, 1)
    const again = await scripted(bash("echo b"), { ...textAnswer("long"), hold: true })
    await perch.submit(id, promptFor(again))
    await eventually(async () => ((await api.requests(again)).length >= 2 ? true : undefined))
    await perch.query(id, promptFor(await scripted(textAnswer("Instead."))), { on_busy: "interrupt" })
    await perch.eventsUntilResults(id, 3)
    expect(await replayed((await record(id)).id)).toMatchObject(EQUAL)
  })
})
