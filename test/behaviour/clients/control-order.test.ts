// The order in which clients receive the answer to a control request and the request's effects, as the official process sends
// them: apps act on the answer, and the SDK treats an answer after an error result as lost.
import { describe, expect, it } from "vitest"
import { call, text, textAnswer } from "../../support/session/scripts.ts"
import { loop, until } from "../../support/session/loop.ts"
import type { Frame, SessionClient } from "../../support/session/session-client.ts"

const { start, connected } = loop()

const LONG = { content: [text("word ".repeat(200))], chunk: 10, delta_delay_ms: 5 }
/** Longer than any wait of a busy machine: it is interrupted. */
const INTERRUPTED = { ...LONG, content: [text("word ".repeat(4000))] }
const PARTIALS = { includePartialMessages: true, permissionMode: "bypassPermissions" } as const

const nameOf = ({ type, subtype, event, response, request, message }: Frame): string => {
  if (type === "stream_event") return `stream:${String((event as { type: string }).type)}`
  if (type === "control_response") return `answer:${String((response as { subtype: string }).subtype)}`
  if (type === "control_request") return `request:${String((request as { subtype: string }).subtype)}`
  const { content } = (message ?? {}) as { content?: ReadonlyArray<{ type: string }> }
  const kind = Array.isArray(content) ? (content[0] as { type: string } | undefined)?.type : subtype
  return kind === undefined ? String(type) : `${String(type)}:${String(kind)}`
}

const names = (client: SessionClient) =>
  client.frames.map(nameOf).filter((name) => name !== "stream:content_block_delta")

/** The frames that arrived since the request was sent. */
const after = async (client: SessionClient, idle: () => Promise<void>, subtype: string, fields: object = {}) => {
  const before = names(client).length
  await client.request(subtype, fields)
  await idle()
  return names(client).slice(before)
}

const streaming = (client: SessionClient) =>
  until(() => client.frames.some((frame) => nameOf(frame) === "stream:content_block_delta"))

const CLOSING = [
  "assistant:text",
  "user:text",
  "stream:content_block_stop",
  "stream:message_delta",
  "stream:message_stop",
  "result:error_during_execution",
  "system:session_state_changed",
]

describe("the echo of a prompt", () => {
  const ECHOED = { ...PARTIALS, replay_user_messages: true } as const

  it("follows the status that the model is asked, which is sent once", async () => {
    const { client, idle } = await start([textAnswer("ok")], {}, ECHOED)
    await idle()
    expect(names(client).slice(1, 6)).toEqual([
      "system:init",
      "system:session_state_changed",
      "system:status",
      "user",
      "stream:message_start",
    ])
    expect(names(client).filter((name) => name === "system:status")).toHaveLength(1)
  })

  it("follows no status when the model is not asked", async () => {
    const { client, idle } = await start([textAnswer("ok")], {}, { ...ECHOED, agent: "unknown" })
    await idle()
    expect(names(client)).toContain("user")
    expect(names(client)).not.toContain("system:status")
  })
})

describe("in the middle of an answer", () => {
  it.each(["interrupt", "end_session"])("%s is answered before the turn's last messages", async (subtype) => {
    const { client, idle } = await start([INTERRUPTED], {}, PARTIALS)
    await streaming(client)
    expect(await after(client, idle, subtype)).toEqual(["answer:success", ...CLOSING])
  })

  it("the final stream events contain the counts known so far", async () => {
    const { client, idle, result } = await start([INTERRUPTED], {}, PARTIALS)
    await streaming(client)
    await after(client, idle, "interrupt")
    const deltas = client.frames.filter((frame) => nameOf(frame) === "stream:message_delta")
    expect(deltas.map(({ event }) => (event as { usage: object }).usage)).toEqual([
      expect.objectContaining({
        input_tokens: 100,
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      }),
    ])
    expect(result()["errors"]).toEqual(["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"])
  })

  it("set_permission_mode is answered before the mode is emitted", async () => {
    const { client, idle } = await start([LONG], {}, PARTIALS)
    await streaming(client)
    const seen = await after(client, idle, "set_permission_mode", { mode: "plan" })
    expect(seen.slice(0, 2)).toEqual(["answer:success", "system:status"])
  })

  it("set_permission_mode that is refused emits no mode", async () => {
    const { client } = await connected({}, {})
    const answer = await client.request("set_permission_mode", { mode: "bypassPermissions" })
    expect(answer).toMatchObject({ subtype: "error" })
    expect(names(client)).toEqual(["answer:success", "answer:error"])
  })

  it("rename_session and set_model are answered after the messages that they emit", async () => {
    const { client, idle } = await start([textAnswer("Hello.")])
    await idle()
    const before = names(client).length
    await client.request("rename_session", { title: "mine" })
    expect(await client.request("set_model", { model: "sonnet" })).toMatchObject({
      response: { model: "claude-sonnet-5-5" },
    })
    const seen = names(client).slice(before)
    expect(seen).toEqual(["system:session_title_changed", "answer:success", "user", "answer:success"])
  })
})

describe("while a tool runs", () => {
  it("interrupt is answered before its result", async () => {
    const { client, idle, result } = await start([{ content: [call("Bash", { command: "sleep 20" })] }])
    await until(() => names(client).includes("assistant:tool_use"))
    expect(await after(client, idle, "interrupt")).toEqual([
      "answer:success",
      "user:tool_result",
      "user:text",
      "result:error_during_execution",
      "system:session_state_changed",
    ])
    expect(result()["errors"]).toEqual([expect.stringContaining("stop_reason=tool_use")])
  })

  it("stop_task is answered when the task has ended", async () => {
    const command = call("Bash", { command: "sleep 20", run_in_background: true })
    const { client, idle, background } = await start([{ content: [command] }, textAnswer("started")])
    await until(() => names(client).includes("result:success"))
    const [task] = background.running()
    const seen = await after(client, idle, "stop_task", { task_id: task?.task_id })
    expect(seen.filter((name) => name !== "system:session_state_changed")).toEqual([
      "system:task_updated",
      "system:task_notification",
      "system:background_tasks_changed",
      "answer:success",
    ])
  })

  it("end_session stops commands in the background, and no turn follows", async () => {
    const command = call("Bash", { command: "sleep 20", run_in_background: true })
    const { client, idle, background, session } = await start([{ content: [command] }, textAnswer("started")])
    await until(() => names(client).includes("result:success"))
    await after(client, idle, "end_session")
    expect(background.running()).toEqual([])
    expect(session.inbox.open).toEqual([])
  })
})

describe("an ask", () => {
  const ask = () =>
    start(
      [{ content: [call("Write", { file_path: "/workspace/a.txt", content: "x" })] }],
      {},
      {
        includePartialMessages: true,
        permission_prompts: "ask",
      },
    )

  it("is sent after the state `requires_action` and the answer's stream events", async () => {
    const { client, idle } = await ask()
    await until(() => client.asked("can_use_tool").length > 0)
    expect(names(client).slice(-6)).toEqual([
      "assistant:tool_use",
      "stream:content_block_stop",
      "system:session_state_changed",
      "stream:message_delta",
      "stream:message_stop",
      "request:can_use_tool",
    ])
    await client.request("interrupt")
    await idle()
  })

  it("is sent before the hooks that may also answer it: the first answer counts", async () => {
    const { client, idle } = await start(
      [{ content: [call("Write", { file_path: "/workspace/a.txt", content: "x" })] }, textAnswer("ok")],
      { PermissionRequest: {} },
      { permission_prompts: "ask" },
    )
    await until(() => client.called.length > 0 && client.asked("can_use_tool").length > 0)
    expect(names(client).slice(-2)).toEqual(["request:can_use_tool", "request:hook_callback"])
    await client.request("interrupt")
    await idle()
  })

  it("is withdrawn once, before the interrupt is answered", async () => {
    const { client, idle } = await ask()
    await until(() => client.asked("can_use_tool").length > 0)
    const seen = await after(client, idle, "interrupt")
    expect(seen.slice(0, 3)).toEqual(["control_cancel_request", "answer:success", "user:tool_result"])
    expect(seen.filter((name) => name === "control_cancel_request")).toHaveLength(1)
  })
})
