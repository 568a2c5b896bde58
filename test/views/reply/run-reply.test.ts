// A run's own reply: what remains of narration, of failed calls, of retries, and of runs that wait for the client's tools.
import { describe, expect, it } from "vitest"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import { ReplyFold } from "../../../src/views/reply/reply-fold.ts"
import type { TurnLog } from "../../support/session/turn-log.ts"
import { blocks, ended, type Fields, looks, reply, SLACK, started } from "../../support/views/reply-log.ts"

const foldOf = (log: TurnLog, session: Fields = {}, own: Fields = {}): ReplyFold => {
  const fold = new ReplyFold(session, own)
  for (const event of log.events) fold.apply(viewEventOf(event))
  return fold
}

const payloadsOf = (...args: Parameters<typeof foldOf>) => foldOf(...args).payloads

const fails = (log: TurnLog, id: string, name: string, input: Fields, error: string | null): void => {
  log.toolUse(`m-${id}`, id, name, input)
  log.toolResult(id, error ?? "done", { is_error: error !== null })
}

describe("the reply of a run", () => {
  it("has no narration before calls", () => {
    expect(payloadsOf(looks())).toEqual([{ text: "It says: the text." }])
  })

  it("has reasoning if it is on, and errors", () => {
    const log = started()
    log.block("m1", { type: "thinking", thinking: "Hm.", signature: "s" })
    log.text("m1", "Yes.")
    log.result("error_max_turns", { errors: ["Reached 1 turn"] })
    expect(payloadsOf(log, {}, { reasoningLevel: "on" })).toEqual([
      { text: "Reasoning:\n_Hm._", isReasoning: true },
      { text: "Yes." },
      { text: "Reached 1 turn", isError: true },
    ])
  })

  it("exists while the run is in progress, and when it was stopped", () => {
    const log = started()
    log.text("m1", "So far")
    expect(payloadsOf(log)).toEqual([{ text: "So far" }])
    log.result("error_during_execution", { terminal_reason: "aborted_streaming", errors: ["x"] })
    expect(payloadsOf(log)).toEqual([{ text: "So far" }])
  })

  it("sends all media as voice messages if one of its texts requests it", () => {
    const log = started()
    log.text("m1", "[[audio_as_voice]]")
    log.text("m2", "MEDIA: ./a.mp3\nHere.")
    expect(payloadsOf(ended(log))).toEqual([
      { text: "Here.", mediaUrl: "./a.mp3", mediaUrls: ["./a.mp3"], audioAsVoice: true },
    ])
  })
})

describe("a failed call", () => {
  const withReply = (calls: (log: TurnLog) => void, text?: string) => {
    const log = started()
    calls(log)
    if (text !== undefined) log.text("last", text)
    return payloadsOf(ended(log)).map((payload) => payload.text)
  }

  it("is reported if the run has no reply", () => {
    const write = { file_path: "/a.txt", content: "x" }
    expect(withReply((log) => fails(log, "t", "Write", write, "disk full"))).toEqual([
      "⚠️ 🛠️ Write: /a.txt failed: disk full",
    ])
    expect(withReply((log) => fails(log, "t", "Write", write, "disk full"), "It is full.")).toEqual(["It is full."])
  })

  it("is not reported if the model can correct it", () => {
    expect(withReply((log) => fails(log, "t", "Write", {}, "file_path is required"))).toEqual([])
  })

  it("is reported until the same call succeeds, and one that only reads until any call does", () => {
    const write = { file_path: "/a.txt" }
    const other = { file_path: "/b.txt" }
    const sequences: ReadonlyArray<readonly [name: string, then: Fields, count: number]> = [
      ["Write", write, 0],
      ["Write", other, 1],
      ["Read", other, 0],
    ]
    for (const [name, then, count] of sequences) {
      const texts = withReply((log) => {
        fails(log, "t1", name, write, "disk full")
        fails(log, "t2", name, then, null)
      })
      expect(texts, `${name} ${JSON.stringify(then)}`).toHaveLength(count)
    }
  })
})

describe("messages sent by tools", () => {
  const session = { messaging_tools: [{ ...SLACK, media: "files", when: { action: ["send", "reply"] } }] }
  const send = (input: Fields, isError = false): TurnLog => {
    const log = started()
    log.toolUse("m1", "t1", SLACK.name, { action: "send", channel: "C1", message: "The build is green", ...input })
    log.toolResult("t1", "ok", { is_error: isError })
    return log
  }

  it("are known with their target", () => {
    const fold = foldOf(ended(send({})), session)
    expect(fold.didSendViaMessagingTool).toBe(true)
    expect(fold.messagingToolSentTexts).toEqual(["The build is green"])
    expect(fold.messagingToolSentTargets).toEqual([{ tool: SLACK.name, provider: "slack", to: "C1" }])
  })

  it("are none when the call failed, has not ended, or sends nothing", () => {
    expect(foldOf(ended(send({}, true)), session).didSendViaMessagingTool).toBe(false)
    expect(foldOf(ended(send({ action: "list" })), session).messagingToolSentTargets).toEqual([])
    const open = started()
    open.toolUse("m1", "t1", SLACK.name, { action: "send", message: "The build is green" })
    expect(foldOf(open, session).messagingToolSentTexts).toEqual([])
  })

  it("include media", () => {
    const log = send({ files: ["./a.png"] })
    log.text("m2", "MEDIA: ./a.png\nMEDIA: ./b.png\nBoth.")
    log.text("m3", "MEDIA: ./a.png")
    expect(blocks(reply(ended(log), {}, session))).toEqual([
      { text: "Both.", mediaUrl: "./b.png", mediaUrls: ["./b.png"] },
    ])
  })

  it("are limited to the last 200", () => {
    const log = started()
    for (let n = 0; n < 205; n++) {
      log.toolUse("m1", `t${n}`, SLACK.name, { action: "send", message: `message number ${n}`, channel: n })
      log.toolResult(`t${n}`, "ok")
    }
    const fold = foldOf(ended(log), session)
    expect(fold.messagingToolSentTexts).toHaveLength(200)
    expect(fold.messagingToolSentTexts[0]).toBe("message number 5")
    expect(fold.messagingToolSentTargets).toHaveLength(200)
  })
})

describe("a run of POST /v1/runs", () => {
  it("has its own id, ends where it waits for the client's tools, and another one continues its turn", () => {
    const log = started()
    const [queued] = log.events.splice(0, 2)
    log.add("turn:queued", { ...(queued?.payload as Fields), run: { run_id: "run-1", timeout_ms: 1000 } })
    log.init()
    log.text("m1", "Which color?")
    log.toolUse("m1", "t1", "pick_color", {})
    log.add("run:paused", { run_id: "run-1", calls: [{ id: "t1", name: "pick_color", input: {} }] })
    log.add("run:resumed", { run_id: "run-2", timeout_ms: 1000, calls: ["t1"] })
    log.toolResult("t1", "blue")
    log.text("m2", "Blue it is.")
    const frames = reply(ended(log))
    const emitted = (run: string) =>
      frames
        .filter(({ runId }) => runId === run)
        .map(({ type, stream, data }) =>
          stream === undefined ? type : `${String(stream)} ${String((data as Fields)["phase"])}`,
        )
    expect(emitted("run-1")).toEqual([
      "lifecycle start",
      "assistant_message_start",
      "assistant undefined",
      "partial_reply",
      "block_reply",
      "block_reply_flush",
      "tool start",
      "lifecycle end",
    ])
    expect(emitted("run-2").slice(0, 3)).toEqual(["lifecycle start", "tool result", "assistant_message_start"])
    expect(frames.find(({ runId }) => runId === "run-2")).toMatchObject({ seq: 1 })
    expect(payloadsOf(log)).toEqual([{ text: "Blue it is." }])
  })
})
