// Reverting a conversation to before a message: what the model, its readers and D1 still see, and how it is undone.
import { describe, expect, it } from "vitest"
import { NO_RIGHTS } from "../../support/values/actors.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { eventsOf, prompt, SESSION_ID } from "../../support/session/session-harness.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { filesOf, messagesOf, refusalOf, revert, reverting, todos, unrevert, write } from "./reverting.ts"

const made = reverting()
const { started, run, lastRequest } = made

describe("a revert to a prompt", () => {
  it("cuts the conversation before it for the model and its readers; nothing is deleted, and the cost stays", async () => {
    const { booted } = started()
    await run(booted, [textAnswer("one")])
    const before = messagesOf(booted)
    await run(booted, [{ content: [todos("sweep")] }, textAnswer("two")])
    const { requests } = booted.session.cost()
    const { lastSeq } = booted.log
    const prompted = messagesOf(booted)[2]?.info.id ?? ""
    expect(revert(booted, { messageID: prompted })).toBeUndefined()
    expect(messagesOf(booted)).toEqual(before)
    expect(booted.session.todos()).toEqual([])
    expect(booted.session.info().revert).toEqual({ messageID: prompted })
    expect(booted.log.lastSeq).toBe(lastSeq + 1)
    expect(booted.session.cost().requests).toBe(requests)
    await run(booted, [textAnswer("three")])
    expect(lastRequest().messages).toHaveLength(3)
    expect(JSON.stringify(lastRequest().messages)).not.toMatch(/two|sweep/)
    expect(booted.session.info().revert).toBeUndefined()
  })

  it("that is sent again changes nothing, and one that asks for something else is not taken for it", async () => {
    const { booted, harness } = started()
    await run(booted, [textAnswer("one")])
    const turn = await run(booted, [{ content: [write("/workspace/a.txt", "a")] }, textAnswer("two")])
    expect(revert(booted, { messageID: turn, rewindFiles: true })).toBeUndefined()
    const shown = booted.session.info().revert
    const { lastSeq } = booted.log
    const again = harness.boot()
    expect(revert(again, { messageID: turn, rewindFiles: true })).toBeUndefined()
    expect([again.log.lastSeq, again.session.info().revert]).toEqual([lastSeq, shown])
    expect(shown).not.toHaveProperty("asked")
    expect(refusalOf(revert(again, { messageID: turn }))?.type).toBe("not_found_error")
    expect(refusalOf(revert(again, { messageID: turn, partID: "part", rewindFiles: true }))?.type).toBe(
      "not_found_error",
    )
    again.workspace.writeBytes("/workspace/b.txt", "written since")
    expect(refusalOf(revert(again, { messageID: turn, rewindFiles: true }))?.type).toBe("not_found_error")
    expect(unrevert(again, { files: "restore" })).toBeUndefined()
    expect(revert(again, { messageID: turn })).toBeUndefined()
    await run(again, [textAnswer("three")])
    expect(refusalOf(revert(again, { messageID: turn }))?.type).toBe("not_found_error")
  })

  it("accepts the uuid of an SDK message as well", async () => {
    const { booted } = started()
    await run(booted, [textAnswer("one")])
    const before = messagesOf(booted)
    const turn = await run(booted, [textAnswer("two")])
    expect(revert(booted, { messageID: turn })).toBeUndefined()
    expect(messagesOf(booted)).toEqual(before)
  })

  it("accepts the id that a client gave its prompt, which is the message's id", async () => {
    const { booted } = started()
    const { api } = made
    const mine = "msg_66c8a1b2f002QeRt5uIoP6As7D"
    await run(booted, [textAnswer("one")])
    const before = messagesOf(booted)
    const name = scriptName("revert")
    api.set(name, [{ content: [write("/workspace/b.txt", "two")] }, textAnswer("two")])
    booted.session.prompts.submit({
      turn: crypto.randomUUID(),
      prompt: promptFor(name),
      onBusy: "queue",
      options: {},
      fingerprint: name,
      messageID: mine,
    })
    await booted.idle()
    const shown = messagesOf(booted)
    expect(shown[2]).toMatchObject({ info: { id: mine, role: "user" }, parts: [{ messageID: mine }] })
    expect(shown.slice(3).map(({ info }) => info.role === "assistant" && info.parentID)).toEqual([mine, mine])
    expect(messagesPage(booted.session, SESSION_ID, { after: mine, limit: 10 })).toMatchObject({
      messages: shown.slice(3),
    })
    expect(revert(booted, { messageID: mine, rewindFiles: true })).toBeUndefined()
    expect([messagesOf(booted), filesOf(booted)]).toEqual([before, {}])
    expect(unrevert(booted)).toBeUndefined()
    expect(messagesOf(booted)).toEqual(shown)
  })

  it("keeps the files, unless asked to restore them", async () => {
    const { booted } = started()
    await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("one")])
    const turn = await run(booted, [{ content: [write("/workspace/b.txt", "two")] }, textAnswer("two")])
    revert(booted, { messageID: turn })
    expect(filesOf(booted)).toEqual({ "/workspace/a.txt": "one", "/workspace/b.txt": "two" })
    unrevert(booted)
    revert(booted, { messageID: turn, rewindFiles: true })
    expect(filesOf(booted)).toEqual({ "/workspace/a.txt": "one" })
    const { revert: shown } = booted.session.info()
    expect(shown?.snapshot).toMatch(/^revert:/)
    expect(shown?.diff).toContain("-two")
    unrevert(booted)
    expect(filesOf(booted)).toEqual({ "/workspace/a.txt": "one", "/workspace/b.txt": "two" })
  })
})

describe("a revert within a turn", () => {
  it("restores the files to the last step before it, and undoes nothing of that step", async () => {
    const { booted } = started()
    const steps = [write("/workspace/a/one.txt", "one"), write("/workspace/b.txt", "two")]
    await run(booted, [...steps.map((step) => ({ content: [step] })), textAnswer("done")])
    const messageID = messagesOf(booted)[2]?.info.id ?? ""
    expect(revert(booted, { messageID, rewindFiles: true })).toBeUndefined()
    expect(filesOf(booted)).toEqual({ "/workspace/a/one.txt": "one" })
    expect(unrevert(booted)).toBeUndefined()
    expect(filesOf(booted)).toEqual({ "/workspace/a/one.txt": "one", "/workspace/b.txt": "two" })
  })
})

describe("undoing a revert", () => {
  it("restores messages, todos and what the model knows, also after several reverts in a row and after a restart", async () => {
    const { booted, harness } = started()
    await run(booted, [{ content: [todos("sweep")] }, textAnswer("one")])
    await run(booted, [{ content: [todos("mop")] }, textAnswer("two")])
    const messages = messagesOf(booted)
    const listed = booted.session.todos()
    const sent = booted.session.memory.transcript.messages()
    revert(booted, { messageID: messages.at(-1)?.info.id ?? "" })
    revert(booted, { messageID: messages[0]?.info.id ?? "" })
    expect(messagesOf(booted)).toEqual([])
    harness.crash()
    const again = harness.boot()
    expect(again.session.info().revert).toEqual({ messageID: messages[0]?.info.id })
    expect(unrevert(again)).toBeUndefined()
    expect(messagesOf(again)).toEqual(messages)
    expect(again.session.todos()).toEqual(listed)
    expect(again.session.memory.transcript.messages()).toEqual(sent)
    expect(again.session.info().revert).toBeUndefined()
  })

  it("that is repeated after its response was lost changes nothing", async () => {
    const { booted, harness } = started()
    const turn = await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("one")])
    revert(booted, { messageID: turn, rewindFiles: true })
    expect(unrevert(booted)).toBeUndefined()
    harness.crash()
    const again = harness.boot()
    const { lastSeq } = again.log
    expect(unrevert(again)).toBeUndefined()
    expect(again.log.lastSeq).toBe(lastSeq)
    expect(refusalOf(unrevert(again, { files: "keep" }))).toMatchObject({ type: "conflict_error" })
    again.workspace.writeBytes("/workspace/a.txt", "by hand")
    expect(refusalOf(unrevert(again))?.message).toContain("there is no revert to undo")
  })

  it("that kept the files can be repeated only as it was", async () => {
    const { booted } = started()
    const turn = await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("one")])
    revert(booted, { messageID: turn, rewindFiles: true })
    expect(unrevert(booted, { files: "keep" })).toBeUndefined()
    expect(unrevert(booted, { files: "keep" })).toBeUndefined()
    expect(refusalOf(unrevert(booted, { files: "restore" }))).toMatchObject({ type: "conflict_error" })
    await run(booted, [textAnswer("two")])
    expect(refusalOf(unrevert(booted, { files: "keep" }))).toMatchObject({ type: "conflict_error" })
  })

  it("is no longer possible after the next prompt", async () => {
    const { booted } = started()
    const turn = await run(booted, [textAnswer("one")])
    revert(booted, { messageID: turn })
    await run(booted, [textAnswer("two")])
    expect(refusalOf(unrevert(booted))?.message).toContain("a later prompt has made it final")
    expect(messagesOf(booted)).toHaveLength(2)
  })

  it("does not silently overwrite files that were changed since", async () => {
    const { booted } = started()
    const turn = await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("one")])
    revert(booted, { messageID: turn, rewindFiles: true })
    booted.workspace.writeBytes("/workspace/a.txt", "by hand")
    expect(refusalOf(unrevert(booted))).toMatchObject({ type: "conflict_error", field: "files" })
    expect(refusalOf(unrevert(booted))?.message).toContain("/workspace/a.txt")
    expect(booted.session.info().revert).toBeDefined()
    expect(unrevert(booted, { files: "restore" })).toBeUndefined()
    expect(filesOf(booted)).toEqual({ "/workspace/a.txt": "one" })
    const lost = booted.workspace.checkpoints().at(-1) ?? ""
    booted.workspace.rewind(lost)
    expect(filesOf(booted)).toEqual({ "/workspace/a.txt": "by hand" })
  })

  it("leaves the files alone on request", async () => {
    const { booted } = started()
    const turn = await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("one")])
    revert(booted, { messageID: turn, rewindFiles: true })
    booted.workspace.writeBytes("/workspace/a.txt", "by hand")
    expect(unrevert(booted, { files: "keep" })).toBeUndefined()
    expect(filesOf(booted)).toEqual({ "/workspace/a.txt": "by hand" })
    expect(messagesOf(booted)).not.toEqual([])
  })
})

describe("a process that dies", () => {
  it("leaves a revert either done or not done, and what can be undone", async () => {
    for (let dies = 1; ; dies += 1) {
      const { booted, harness } = started()
      const turn = await run(booted, [{ content: [write("/workspace/a.txt", "one")] }, textAnswer("one")])
      const [messages, files] = [messagesOf(booted), filesOf(booted)]
      harness.dieAfter = harness.transactions + dies
      const outcome = (() => {
        try {
          return revert(booted, { messageID: turn, rewindFiles: true })
        } catch {
          return "died"
        }
      })()
      const isWhole = harness.transactions < harness.dieAfter
      harness.crash()
      const again = harness.boot()
      const isDone = again.session.info().revert !== undefined
      expect(isDone || outcome !== undefined).toBe(true)
      expect([messagesOf(again), filesOf(again)]).toEqual(isDone ? [[], {}] : [messages, files])
      if (isDone) expect(unrevert(again)).toBeUndefined()
      expect([messagesOf(again), filesOf(again)]).toEqual([messages, files])
      if (isWhole) break
    }
  })
})

describe("a revert to a part", () => {
  it("keeps the start of the message", async () => {
    const { booted } = started()
    await run(booted, [{ content: [text("I look."), write("/workspace/a.txt", "one")] }, textAnswer("done")])
    const answer = messagesOf(booted)[1]
    const tool = answer?.parts.find(({ type }) => type === "tool")?.id ?? ""
    expect(revert(booted, { messageID: answer?.info.id ?? "", partID: tool })).toBeUndefined()
    expect(booted.session.info().revert).toEqual({ messageID: answer?.info.id, partID: tool })
    expect(messagesOf(booted)[1]?.parts.map(({ type }) => type)).toEqual(["step-start", "text"])
    await run(booted, [textAnswer("other")])
    expect(lastRequest().messages.map(({ role, content }) => [role, ...content.map(({ type }) => type)])).toEqual([
      ["user", "text"],
      ["assistant", "text"],
      ["user", "text"],
    ])
  })

  it("removes the whole message when nothing but its start would be left", async () => {
    const { booted } = started()
    await run(booted, [textAnswer("one")])
    const answer = messagesOf(booted)[1]
    const words = answer?.parts.find(({ type }) => type === "text")?.id ?? ""
    revert(booted, { messageID: answer?.info.id ?? "", partID: words })
    expect(booted.session.info().revert).toEqual({ messageID: answer?.info.id })
    expect(messagesOf(booted).map(({ info }) => info.role)).toEqual(["user"])
  })
})

describe("a revert is refused", () => {
  it("for a message that does not exist or is no longer in the conversation", async () => {
    const { booted } = started()
    await run(booted, [textAnswer("one")])
    const [asked, answer] = messagesOf(booted)
    for (const messageID of ["msg_0199a0000000000000000000000", crypto.randomUUID(), "nonsense"])
      expect(refusalOf(revert(booted, { messageID }))).toMatchObject({ type: "not_found_error", field: "messageID" })
    const other = { messageID: asked?.info.id ?? "", partID: answer?.parts[0]?.id ?? "" }
    expect(refusalOf(revert(booted, other))).toMatchObject({ type: "not_found_error", field: "partID" })
    revert(booted, { messageID: asked?.info.id ?? "" })
    const left = { messageID: answer?.info.id ?? "" }
    expect(refusalOf(revert(booted, left))).toMatchObject({ type: "not_found_error" })
  })

  it("for a session whose turn is open", async () => {
    const { booted } = started({ permissionMode: "default" })
    const name = scriptName("open")
    made.api.set(name, [
      { content: [call("Bash", { command: "rm -rf /workspace/x", description: "x" })] },
      textAnswer("one"),
    ])
    const turn = prompt(booted.session, promptFor(name))
    await booted.idle()
    expect(booted.session.state).toBe("requires_action")
    expect(refusalOf(revert(booted, { messageID: turn }))).toMatchObject({ type: "conflict_error" })
    expect(refusalOf(unrevert(booted))).toMatchObject({ type: "conflict_error" })
  })

  it("of files, for a key without that scope", async () => {
    const { booted } = started()
    const turn = await run(booted, [textAnswer("one")])
    const args = { messageID: turn, rewindFiles: true }
    expect(refusalOf(revert(booted, { ...args, actor: NO_RIGHTS }))).toMatchObject({ type: "permission_error" })
  })
})

describe("D1", () => {
  it("matches the log after a revert, after the next prompt, and after an undone revert", async () => {
    const { booted, harness } = started()
    const stored = async () => {
      await booted.outbox.flush()
      const { results } = await harness.database.d1
        .prepare("SELECT id FROM messages WHERE session_id = ? ORDER BY position")
        .bind(SESSION_ID)
        .all<{ id: string }>()
      return results.map(({ id }) => id)
    }
    const shown = () => messagesOf(booted).map(({ info }) => info.id)
    await run(booted, [textAnswer("one")])
    const turn = await run(booted, [textAnswer("two")])
    expect(await stored()).toEqual(shown())
    revert(booted, { messageID: turn })
    expect(await stored()).toEqual(shown())
    unrevert(booted)
    expect(await stored()).toEqual(shown())
    expect(shown()).toHaveLength(4)
    revert(booted, { messageID: turn })
    await run(booted, [textAnswer("three")])
    expect(await stored()).toEqual(shown())
    expect(eventsOf(booted.log).filter(({ name }) => name === "head:moved")).toHaveLength(3)
  })
})
