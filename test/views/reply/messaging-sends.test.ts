// Tools that send messages themselves: what they have sent is not sent again.
import { describe, expect, it } from "vitest"
import { agentEvents, blocks, ended, reply, SLACK, started } from "../../support/views/reply-log.ts"
import { TurnLog } from "../../support/session/turn-log.ts"

describe("messaging tools", () => {
  const session = { messaging_tools: [SLACK] }
  const sends = (text: string, isError: boolean, then: string): TurnLog => {
    const log = started()
    log.toolUse("m1", "t1", "mcp__slack__post", { message: text, channel: "C1" })
    log.toolResult("t1", isError ? "no such channel" : "ok", { is_error: isError })
    log.text("m2", then)
    return ended(log)
  }

  it("text that one has sent is not sent again, and text that one failed to send is", () => {
    expect(blocks(reply(sends("The build is green 🎉", false, "the build  is GREEN"), {}, session))).toEqual([])
    expect(blocks(reply(sends("The build is green", true, "The build is green"), {}, session))).toHaveLength(1)
    expect(blocks(reply(sends("The build is green", false, "Told them."), {}, session))).toHaveLength(1)
    expect(blocks(reply(sends("ok", false, "ok"), {}, session))).toHaveLength(1)
  })

  it("a target that is not the reply's own suppresses nothing", () => {
    const log = sends("The build is green", false, "The build is green")
    const at = (to: string) => ({ ...session, reply: { route: { provider: "slack", to } } })
    expect(blocks(reply(log, {}, at("C1")))).toEqual([])
    expect(blocks(reply(log, {}, at("C2")))).toHaveLength(1)
  })

  it("silence after a send leaves what was sent as the record of the reply", () => {
    const log = sends("The build is green", false, "NO_REPLY")
    const emitted = agentEvents(log, session).filter(({ stream }) => stream === "assistant")
    expect(emitted.map(({ data }) => data)).toEqual([{ text: "The build is green", delta: "The build is green" }])
    expect(blocks(reply(log, {}, session))).toEqual([])
  })

  it("options are those of the session when a run starts", () => {
    const log = new TurnLog()
    const thinks = (): void => {
      log.queued("Go")
      log.init()
      log.block(`m${log.events.length}`, { type: "thinking", thinking: "Hm.", signature: "s" })
      ended(log)
    }
    log.add("session:created", { options: { reply: { reasoningLevel: "on" } } }, null)
    thinks()
    log.add("session:changed", { options: { maxTurns: 5 } }, null)
    thinks()
    log.add("session:changed", { options: { maxTurns: 5 }, reopened: true }, null)
    thinks()
    expect(blocks(reply(log))).toHaveLength(2)
  })

  it("options of a turn override the session's, and the reader's override both", () => {
    const log = started({ reply: { reasoningLevel: "on" } })
    log.block("m1", { type: "thinking", thinking: "Hm.", signature: "s" })
    ended(log)
    expect(blocks(reply(log, {}, { reply: { reasoningLevel: "off" } }))).toHaveLength(1)
    expect(blocks(reply(log, { reasoningLevel: "off" }))).toHaveLength(0)
  })
})
