// format=agent-events: a run with the events of OpenClaw's event bus.
import { describe, expect, it } from "vitest"
import { agentEvents, blocks, ended, type Fields, looks, reply, SLACK, started } from "../../support/views/reply-log.ts"
import { TurnLog } from "../../support/session/turn-log.ts"

describe("format=agent-events", () => {
  it("has the events of a run in OpenClaw's form", () => {
    const log = looks()
    const at = (seq: number) => log.events[seq - 1]!.at
    const events = agentEvents(log)
    const runId = log.turn
    const call = { name: "Read", toolCallId: "t1" }
    expect(events).toEqual([
      { runId, seq: 1, stream: "lifecycle", ts: at(2), data: { phase: "start", startedAt: at(2) } },
      { runId, seq: 2, stream: "thinking", ts: at(2), data: { text: "Let me think.", delta: "Let me think." } },
      { runId, seq: 3, stream: "assistant", ts: at(3), data: { text: "Let me look.", delta: "Let me look." } },
      {
        runId,
        seq: 4,
        stream: "tool",
        ts: at(5),
        data: { phase: "start", ...call, args: { file_path: "/workspace/a.txt" } },
      },
      {
        runId,
        seq: 5,
        stream: "tool",
        ts: at(7),
        data: {
          phase: "result",
          ...call,
          meta: "/workspace/a.txt",
          isError: false,
          result: { content: [{ type: "text", text: "the text" }] },
        },
      },
      {
        runId,
        seq: 6,
        stream: "assistant",
        ts: at(7),
        data: { text: "It says: the text.", delta: "It says: the text." },
      },
      { runId, seq: 7, stream: "lifecycle", ts: at(10), data: { phase: "end", endedAt: at(10) } },
    ])
  })

  it("truncates long texts of results and omits images", () => {
    const log = started()
    log.toolUse("m1", "t1", "Read", { file_path: "/a.png" })
    log.toolResult("t1", [
      { type: "text", text: "x".repeat(9000) },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    ])
    const [, , result] = agentEvents(ended(log)).map(({ data }) => data as Fields)
    expect(result?.["result"]).toEqual({
      content: [
        { type: "text", text: `${"x".repeat(8000)}\n…(truncated)…` },
        { type: "image", source: { type: "base64", media_type: "image/png" }, bytes: 4, omitted: true },
      ],
    })
  })

  it("reports the compaction of a turn that consists of it, and a failed one", () => {
    const log = new TurnLog()
    log.queued("/compact")
    log.sdk("system/status", { status: "compacting" })
    log.sdk("system/status", { status: null, compact_result: "success" })
    log.init()
    log.sdk("system/compact_boundary", { compact_metadata: {} })
    log.add("conversation:restarted", { cause: "compact", messages: [] })
    ended(log)
    const phases = () =>
      agentEvents(log).map(({ stream, data }) => `${String(stream)} ${String((data as Fields)["phase"])}`)
    const emitted = ["lifecycle start", "compaction start", "compaction end", "lifecycle end"]
    expect(phases()).toEqual(emitted)
    log.queued("/compact")
    log.sdk("system/status", { status: "compacting" })
    log.sdk("system/status", { status: null, compact_result: "failed", compact_error: "x" })
    log.init()
    ended(log)
    expect(phases()).toEqual([...emitted, ...emitted])
  })

  it("reports a compaction, and starts again where the request is repeated", () => {
    const compacted = (fields: Fields): TurnLog => {
      const log = started()
      log.toolUse("m1", "t1", "mcp__slack__post", { message: "The build is green", channel: "C1" })
      log.toolResult("t1", "ok")
      log.sdk("system/status", { status: "compacting" })
      log.sdk("system/status", { status: null, compact_result: "success" })
      log.sdk("system/compact_boundary", { compact_metadata: {} })
      log.add("conversation:restarted", { cause: "compact", messages: [], ...fields })
      log.text("m2", "The build is green")
      return ended(log)
    }
    const ends = (log: TurnLog) =>
      agentEvents(log).flatMap(({ stream, data }) => (stream === "compaction" ? [data] : []))
    expect(ends(compacted({}))).toEqual([{ phase: "start" }, { phase: "end", willRetry: false }])
    expect(ends(compacted({ retry: true }))).toEqual([{ phase: "start" }, { phase: "end", willRetry: true }])
    const session = { messaging_tools: [SLACK] }
    expect(blocks(reply(compacted({}), {}, session))).toEqual([])
    expect(blocks(reply(compacted({ retry: true }), {}, session))).toHaveLength(1)
  })
})
