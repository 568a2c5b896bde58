// Where a conversation is cut for each kind of message: what is removed with it, what stays, and what the model is then sent.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, until } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, prompt } from "../../support/session/session-harness.ts"
import { conversation } from "../../behaviour/compaction/compactions.ts"
import { busySessions, user } from "../../behaviour/prompts/busy-sessions.ts"
import { messagesOf, refusalOf, revert, unrevert } from "./reverting.ts"

const made = loop()
const { connected, scripted, messagesSent, start } = made
const { inMidTool, atItsEnd } = busySessions(made)

const AGENTS: SessionOptions = { ...BYPASS, agents: { helper: { description: "Helps.", prompt: "You are a helper." } } }

const agent = (script: string, more: object = {}) =>
  call("Agent", { description: "help me", subagent_type: "helper", prompt: promptFor(script), ...more })

const idsOf = (booted: Booted) => messagesOf(booted).map(({ info }) => info.id)

/** The uuids of the answers inside subagents. */
const insideOf = ({ log }: Booted) =>
  eventsOf(log).filter(({ name, parent_tool_use_id: parent }) => name === "sdk:assistant" && parent !== null)

/** The message that contains a prompt. */
const messageOf = (booted: Booted, turn: string) =>
  messagesOf(booted).find(({ info }) => info.role === "user" && info.sdk?.uuid === turn)?.info.id

/** Reverts, undoes the revert and checks that everything is back, then reverts again. */
const revertTwice = (booted: Booted, args: Parameters<typeof revert>[1]) => {
  const before = [messagesOf(booted), booted.session.memory.transcript.messages()]
  expect(revert(booted, args)).toBeUndefined()
  expect(unrevert(booted)).toBeUndefined()
  expect([messagesOf(booted), booted.session.memory.transcript.messages()]).toEqual(before)
  expect(revert(booted, args)).toBeUndefined()
}

describe("a message of a subagent", () => {
  it("is removed with the call that started the subagent", async () => {
    const sub = scripted([{ content: [text("Looking."), call("Glob", { pattern: "*" })] }, textAnswer("The report.")])
    const opened = await start([{ content: [text("I ask."), agent(sub)] }, textAnswer("I have it.")], {}, AGENTS)
    await opened.idle()
    const inside = insideOf(opened).at(-1)
    revertTwice(opened, { messageID: inside?.uuid ?? "" })
    const left = messagesOf(opened)
    expect(left.map(({ parts }) => parts.map(({ type }) => type))).toEqual([["text"], ["step-start", "text"]])
    expect(opened.session.info().revert).toMatchObject({ messageID: left[1]?.info.id })
    expect(opened.session.memory.subagents.running).toEqual([])
  })

  it("is removed with that call even if the subagent ran in the background of later turns", async () => {
    const sub = scripted([{ content: [call("Glob", { pattern: "*" })] }, textAnswer("The report.")])
    const answers = [
      { content: [text("I ask."), agent(sub, { run_in_background: true })] },
      textAnswer("Launched."),
      textAnswer("So."),
    ]
    const opened = await start(answers, {}, AGENTS)
    await until(() => opened.session.info().turns === 2)
    await opened.idle()
    revertTwice(opened, { messageID: insideOf(opened).at(-1)?.uuid ?? "" })
    expect(messagesOf(opened)).toHaveLength(2)
    expect(opened.session.memory.transcript.messages()).toHaveLength(2)
  })
})

describe("a part whose subagent still runs in the background", () => {
  it("can't be reverted until the subagent has ended", async () => {
    const held = Promise.withResolvers<void>()
    const guard = async ({ tool_name: tool }: Readonly<Record<string, unknown>>) => {
      if (tool === "Glob") await held.promise
      return {}
    }
    const opened = await connected({ PreToolUse: guard }, AGENTS)
    const sub = scripted([{ content: [call("Glob", { pattern: "*" })] }, textAnswer("The report.")])
    const script = scripted([
      { content: [agent(sub, { run_in_background: true })] },
      textAnswer("Launched."),
      textAnswer("So."),
    ])
    const turn = prompt(opened.session, promptFor(script))
    await until(() => opened.session.info().turns === 1)
    expect(refusalOf(revert(opened, { messageID: turn }))).toMatchObject({ type: "conflict_error" })
    held.resolve()
    await until(() => opened.session.info().turns === 2)
    await opened.idle()
    revertTwice(opened, { messageID: turn })
    expect(messagesOf(opened)).toEqual([])
  })
})

describe("a prompt", () => {
  it("that waited for another turn is removed alone: that turn keeps its end", async () => {
    const opened = await inMidTool()
    const script = scripted([textAnswer("second")])
    const waiting = prompt(opened.session, promptFor(script))
    opened.release()
    await opened.idle()
    const messages = messagesOf(opened)
    revertTwice(opened, { messageID: waiting })
    const left = messagesOf(opened)
    expect(left).toEqual(messages.filter(({ info }) => left.some((one) => one.info.id === info.id)))
    expect(JSON.stringify(left)).not.toContain("second")
    expect(left.at(-1)?.parts.some((part) => part.type === "text" && part.text === "Done.")).toBe(true)
  })

  it("that joined a turn is removed with everything after the moment at which it joined", async () => {
    const opened = await inMidTool()
    const uuid = crypto.randomUUID()
    opened.client.send(user("and be quick", { uuid }))
    await until(() => opened.session.inbox.open.length === 2)
    opened.release()
    await opened.idle()
    const messageID = messageOf(opened, uuid) ?? ""
    revertTwice(opened, { messageID })
    expect(opened.session.info().revert).toEqual({ messageID })
    expect(idsOf(opened)).not.toContain(messageID)
    const sent = opened.session.memory.transcript.messages()
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(JSON.stringify(sent)).not.toContain("be quick")
  })

  it("that was merged with others is removed with them", async () => {
    const opened = await atItsEnd()
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
    opened.client.send(user(promptFor(opened.script), { uuid: one }))
    opened.client.send(user("and be quick", { uuid: two }))
    await until(() => opened.session.inbox.open.length === 3)
    opened.release()
    await opened.idle()
    const first = messageOf(opened, one)
    revertTwice(opened, { messageID: messageOf(opened, two) ?? "" })
    expect(opened.session.info().revert).toEqual({ messageID: first })
    expect(messagesOf(opened)).toHaveLength(2)
    expect(JSON.stringify(opened.session.memory.transcript.messages())).not.toContain("be quick")
  })

  it("that was withdrawn was never sent", async () => {
    const opened = await inMidTool()
    const waiting = prompt(opened.session, "later")
    opened.session.prompts.cancelQueued(waiting)
    opened.release()
    await opened.idle()
    expect(refusalOf(revert(opened, { messageID: waiting }))).toMatchObject({ field: "messageID" })
  })

  it("of a turn that was interrupted is removed like any other", async () => {
    const opened = await inMidTool()
    const stopped = opened.stopTurn()
    opened.release()
    await stopped
    await opened.idle()
    revertTwice(opened, { messageID: opened.turn })
    expect(messagesOf(opened)).toEqual([])
  })

  it("of a megabyte is removed and restored", async () => {
    const opened = await connected()
    prompt(opened.session, promptFor(scripted([textAnswer("one")])))
    await opened.idle()
    const long = prompt(opened.session, `${promptFor(scripted([textAnswer("two")]))} ${"x".repeat(1_000_000)}`)
    await opened.idle()
    revertTwice(opened, { messageID: long })
    expect(messagesOf(opened)).toHaveLength(2)
    expect(JSON.stringify(opened.session.memory.transcript.messages()).length).toBeLessThan(1000)
  })
})

describe("a part", () => {
  it("that is a call is removed with the parallel calls that had no result yet", async () => {
    const calls = () => messagesOf(opened).flatMap(({ parts }) => parts.filter(({ type }) => type === "tool"))
    const bothAreMade = async () => {
      await until(() => calls().length === 2)
      return {}
    }
    const uses = [call("Glob", { pattern: "*" }), call("Glob", { pattern: "**" })]
    const opened = await start([{ content: [text("I look."), ...uses] }, DONE], { PreToolUse: bothAreMade })
    await opened.idle()
    const [first, second] = calls()
    revertTwice(opened, { messageID: second?.messageID ?? "", partID: second?.id ?? "" })
    expect(opened.session.info().revert).toEqual({ messageID: first?.messageID, partID: first?.id })
    const sent = opened.session.memory.transcript.messages()
    expect(sent.map(({ content }) => content.map(({ type }) => type))).toEqual([["text"], ["text"]])
  })
})

describe("a place in a long conversation", () => {
  const opened = async () => {
    const booted = await conversation(
      made,
      Array.from({ length: 8 }, () => DONE),
    )
    for (let number = 0; number < 8; number += 1) await booted.say(`prompt ${number}`)
    const all = booted.log.all.bind(booted.log)
    const read: Array<number> = []
    /** The events that a revert decodes; those that move the head are read for its path. */
    booted.log.all = function* (after, query) {
      const rows = all(after, query)
      for (let row = rows.next(); row.done !== true; row = rows.next()) {
        if (query === undefined) read.push(row.value.event.seq)
        yield row.value
      }
    } as typeof all
    return { ...booted, read, messages: messagesOf({ ...booted }) }
  }

  it("is looked for in its own turns only, whether it is there or not", async () => {
    const booted = await opened()
    const { messages, read } = booted
    const [, , first, second] = messages
    const ofOthers = (refused: ReturnType<typeof revert>) => {
      expect(refusalOf(refused)).toMatchObject({ type: "not_found_error" })
      return read.splice(0).length > booted.log.lastSeq / 4
    }
    read.splice(0)
    expect(ofOthers(revert(booted, { messageID: first?.info.id ?? "", partID: second?.parts[0]?.id ?? "" }))).toBe(
      false,
    )
    expect(ofOthers(revert(booted, { messageID: booted.session.id }))).toBe(false)
    expect(revert(booted, { messageID: first?.info.id ?? "" })).toBeUndefined()
    read.splice(0)
    for (const { info } of messages.slice(3)) {
      expect(ofOthers(revert(booted, { messageID: info.id }))).toBe(false)
      expect(ofOthers(revert(booted, { messageID: info.sdk?.uuid ?? "" }))).toBe(false)
    }
  })
})

describe("an answer within a turn", () => {
  it("is removed with everything after it; the results before it stay", async () => {
    const opened = await start([{ content: [call("Glob", { pattern: "*" })] }, DONE])
    await opened.idle()
    const answers = messagesOf(opened).filter(({ info }) => info.role === "assistant")
    revertTwice(opened, { messageID: answers[1]?.info.id ?? "" })
    expect(opened.session.memory.transcript.messages().map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    const script = scripted([textAnswer("other")])
    prompt(opened.session, promptFor(script))
    await opened.idle()
    expect(
      messagesSent(script)[0]
        ?.at(-1)
        ?.content.map(({ type }) => type),
    ).toEqual(["tool_result", "text"])
  })
})

describe("a compaction", () => {
  it("is undone: the conversation before it is back", async () => {
    const opened = await conversation(made, [textAnswer("first answer"), textAnswer("second answer")])
    for (const words of ["first question", "two"]) await opened.say(words)
    const before = opened.session.memory.transcript.messages()
    const compacted = await opened.say("/compact")
    const boundary = messagesOf(opened).find(({ parts }) => parts.some(({ type }) => type === "compaction"))
    revertTwice(opened, { messageID: boundary?.info.id ?? "" })
    expect(JSON.stringify(opened.session.memory.transcript.messages())).toContain("first answer")
    unrevert(opened)
    revertTwice(opened, { messageID: compacted })
    expect(opened.session.memory.transcript.messages()).toEqual(before)
  })

  it("that happened later does not affect a revert to before it", async () => {
    const opened = await conversation(made, [textAnswer("first answer"), textAnswer("second answer")])
    const first = await opened.say("first question")
    await opened.say("two")
    await opened.say("/compact")
    revertTwice(opened, { messageID: opened.ids[1] ?? "" })
    expect(messageOf(opened, first)).toBe(idsOf(opened)[0])
    expect(messagesOf(opened)).toHaveLength(2)
  })
})
