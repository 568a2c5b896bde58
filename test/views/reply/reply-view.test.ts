// format=reply: what a channel receives of a run, and in which order.
import { describe, expect, it } from "vitest"
import { agentEvents, blocks, ended, type Fields, looks, reply, started } from "../../support/views/reply-log.ts"

describe("format=reply", () => {
  it("emits the frames of a run in this order", () => {
    const options = { reasoningLevel: "stream", shouldEmitToolResult: true } as const
    const emitted = reply(looks(), options).map(({ type, stream, data, text }) => [
      type,
      ...(stream === undefined ? [] : [stream, (data as Fields)["phase"] ?? (data as Fields)["text"]]),
      ...(text === undefined ? [] : [text]),
    ])
    expect(emitted).toEqual([
      ["agent_event", "lifecycle", "start"],
      ["assistant_message_start"],
      ["reasoning_stream", "Reasoning:\n_Let me think._"],
      ["agent_event", "assistant", "Let me look."],
      ["partial_reply", "Let me look."],
      ["block_reply", "Let me look."],
      ["block_reply_flush"],
      ["agent_event", "tool", "start"],
      ["agent_event", "tool", "result"],
      ["tool_result", "🛠️ Read: /workspace/a.txt"],
      ["assistant_message_start"],
      ["agent_event", "assistant", "It says: the text."],
      ["partial_reply", "It says: the text."],
      ["block_reply", "It says: the text."],
      ["agent_event", "lifecycle", "end"],
    ])
  })

  it("numbers the frames of each run from 1, and names the run", () => {
    const log = looks()
    const [first, second] = [log.turn, (log.queued("Again"), log.init(), log.text("m3", "Yes."), ended(log), log.turn)]
    const frames = reply(log)
    for (const run of [first, second]) {
      const own = frames.filter(({ runId }) => runId === run)
      expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1))
    }
    expect(new Set(frames.map(({ runId }) => runId))).toEqual(new Set([first, second]))
  })

  it("`message_end`: blocks are sent when their message ends, and none of a message with calls", () => {
    expect(blocks(reply(looks(), { blockReplyBreak: "message_end" }))).toEqual([{ text: "It says: the text." }])
    const log = started()
    log.text("m1", "One.")
    log.text("m1", "Two.")
    log.call("m1")
    expect(blocks(reply(ended(log), { blockReplyBreak: "message_end" }))).toEqual([{ text: "One.\nTwo." }])
  })

  it("`reasoningLevel`: on shows each thought as a block, off and stream none", () => {
    const shown = { text: "Reasoning:\n_Let me think._", isReasoning: true }
    expect(blocks(reply(looks(), { reasoningLevel: "on" }))[0]).toEqual(shown)
    for (const reasoningLevel of ["off", "stream"] as const) {
      expect(blocks(reply(looks(), { reasoningLevel }))).not.toContainEqual(shown)
    }
    const log = started()
    log.text("m1", "<think>a\n\nb</think>Yes.")
    expect(blocks(reply(ended(log), { reasoningLevel: "on" }))).toEqual([
      { text: "Reasoning:\n_a_\n\n_b_", isReasoning: true },
      { text: "Yes." },
    ])
  })

  it.each([
    [{}, []],
    [{ shouldEmitToolResult: true }, [{ text: "🛠️ Bash: ls" }]],
    [{ shouldEmitToolOutput: true }, [{ text: "🛠️ Bash: ls\n```txt\na.txt\n```" }]],
  ] as const)("gates %j", (options, emitted) => {
    const log = started()
    log.toolUse("m1", "t1", "Bash", { command: "ls" })
    log.toolResult("t1", "a.txt")
    const frames = reply(ended(log), options).filter(({ type }) => type === "tool_result")
    expect(frames.map(({ type: _t, runId: _r, seq: _s, ...rest }) => rest)).toEqual(emitted)
  })

  it("without gates the media that a server's tool names are sent", () => {
    const log = started()
    log.toolUse("m1", "t1", "mcp__draw__chart", {})
    log.toolResult("t1", [{ type: "text", text: "Done\nMEDIA: https://cdn.acme.com/a.png\nMEDIA: /etc/passwd" }])
    log.toolUse("m1", "t2", "WebFetch", { url: "https://a.com" })
    log.toolResult("t2", "MEDIA: https://cdn.acme.com/b.png")
    expect(reply(ended(log)).filter(({ type }) => type === "tool_result")).toMatchObject([
      { mediaUrls: ["https://cdn.acme.com/a.png"] },
    ])
  })

  it("blocks apply the directives in them, and a target applies to the rest of the message", () => {
    const log = started()
    log.text("m1", "[[reply_to: 7]]One one.\n\nMEDIA: https://cdn.acme.com/a.mp3\n[[audio_as_voice]]\nTwo two.")
    log.text("m2", "Three.")
    const options = { minChars: 3, maxChars: 100 }
    expect(blocks(reply(ended(log), options))).toEqual([
      { text: "One one.", replyToId: "7", replyToTag: true },
      {
        text: "Two two.",
        mediaUrl: "https://cdn.acme.com/a.mp3",
        mediaUrls: ["https://cdn.acme.com/a.mp3"],
        replyToId: "7",
        replyToTag: true,
        audioAsVoice: true,
      },
      { text: "Three." },
    ])
  })

  it("the run's starting message has an id if the reader names one, and an explicit id takes precedence", () => {
    const log = started()
    log.text("m1", "[[reply_to_current]] Yes.")
    log.text("m2", "[[reply_to: 9]] [[reply_to_current]] No.")
    ended(log)
    expect(blocks(reply(log))[0]).toEqual({ text: "Yes.", replyToCurrent: true, replyToTag: true })
    expect(blocks(reply(log, { currentMessageId: "5" })).map(({ replyToId }) => replyToId)).toEqual(["5", "9"])
  })

  it("silence sends nothing", () => {
    for (const token of ["NO_REPLY", " HEARTBEAT_OK\n"]) {
      const log = started()
      log.text("m1", token)
      expect(reply(ended(log)).map(({ type, stream }) => stream ?? type)).toEqual([
        "lifecycle",
        "assistant_message_start",
        "lifecycle",
      ])
    }
  })

  it("a failed request is sent as an error, once", () => {
    const log = started()
    const message = {
      id: "x",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text: "Overloaded" }],
    }
    log.sdk("assistant", { message, is_api_error_message: true, error: "overloaded" })
    log.result("success", { is_error: true, result: "Overloaded" })
    expect(blocks(reply(log))).toEqual([{ text: "Overloaded", isError: true }])
    expect(reply(log).at(-1)).toMatchObject({ data: { phase: "error", error: "Overloaded" } })
  })

  it("an interrupt ends the run, and keeps the text so far", () => {
    const log = started()
    log.text("m1", "So far")
    log.result("error_during_execution", { terminal_reason: "aborted_streaming", errors: ["[ede_diagnostic]"] })
    expect(blocks(reply(log))).toEqual([{ text: "So far" }])
    expect(reply(log).at(-1)).toMatchObject({ stream: "lifecycle", data: { phase: "end" } })
  })

  it("a subagent's answers are not replies", () => {
    const log = started()
    log.toolUse("m1", "t1", "Agent", { description: "look" })
    log.parent = "t1"
    log.text("s1", "Found it.")
    log.parent = null
    log.toolResult("t1", "Found it.")
    log.text("m2", "Done.")
    expect(blocks(reply(ended(log)))).toEqual([{ text: "Done." }])
    const updates = agentEvents(log).filter(({ data }) => (data as Fields)["phase"] === "update")
    expect(updates).toMatchObject([
      { data: { name: "Agent", toolCallId: "t1", partialResult: { content: [{ type: "text", text: "Found it." }] } } },
    ])
  })
})
