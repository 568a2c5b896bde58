// A conversation that continues from an earlier message: what the model is sent, what still counts, and what is refused.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { HeadPath } from "../../../src/schemas/log/head-path.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { ScriptedApi } from "../../support/session/scripted-api.mjs"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { blocksOf, type Booted, eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const BYPASS: SessionOptions = { permissionMode: "bypassPermissions" }

const sessions = loop()

const started = (options = BYPASS) => {
  const harness = sessions.harnessOf(options)
  return { harness, booted: harness.boot() }
}

type Script = Parameters<ScriptedApi["set"]>[1]

const run = async (booted: Booted, script: Script): Promise<string> => {
  const name = scriptName("head")
  sessions.api.set(name, script)
  const turn = prompt(booted.session, promptFor(name))
  await booted.idle()
  return turn
}

/** The messages of the last request: their role, and each block's text, call or result. */
const sent = () => {
  const { messages } = (sessions.api.log.at(-1)?.body ?? { messages: [] }) as {
    messages: ReadonlyArray<{ role: string; content: unknown }>
  }
  return messages.map(({ role, content }) => [
    role,
    ...(content as ReadonlyArray<{ type: string; text?: string; is_error?: boolean }>).map(
      (block) => (block.text?.replace(/^\[\[script.*/, "prompt") ?? block.type) + (block.is_error === true ? "!" : ""),
    ),
  ])
}

/** The uuid of the assistant message that starts with these words. */
const messageOf = ({ log }: Booted, words: string): string =>
  eventsOf(log).find((event) => event.name === "sdk:assistant" && JSON.stringify(blocksOf(event)[0]).includes(words))
    ?.uuid ?? ""

const resumeAt = ({ session }: Booted, at: string) => session.resumption.resume({ options: BYPASS, at })

describe("a session that is resumed at a message", () => {
  it("sends the model nothing of what came after it, while its cost stays", async () => {
    const { booted } = started()
    await run(booted, [textAnswer("one")])
    await run(booted, [textAnswer("two")])
    const usd = booted.session.cost().total_cost_usd
    expect(resumeAt(booted, messageOf(booted, "one"))).toBeUndefined()
    expect(booted.session.cost()).toMatchObject({ total_cost_usd: usd, requests: 2 })
    const turn = await run(booted, [textAnswer("three")])
    expect(sent()).toEqual([
      ["user", "prompt"],
      ["assistant", "one"],
      ["user", "prompt"],
    ])
    expect(booted.session.cost().requests).toBe(3)
    expect(booted.session.cost().total_cost_usd).toBeGreaterThan(usd)
    expect(problemsOf(eventsOf(booted.log), [turn])).toEqual([])
    expect(booted.session.info()).toMatchObject({ turns: 3 })
  })

  it("is the same after a restart, and after the next move", async () => {
    const { harness, booted } = started()
    for (const words of ["one", "two", "three"]) await run(booted, [textAnswer(words)])
    resumeAt(booted, messageOf(booted, "two"))
    await run(booted, [textAnswer("four")])
    harness.crash()
    const again = harness.boot()
    await run(again, [textAnswer("five")])
    expect(sent().map(([, words]) => words)).toEqual(["prompt", "one", "prompt", "two", "prompt", "four", "prompt"])
    resumeAt(again, messageOf(again, "one"))
    await run(again, [textAnswer("six")])
    expect(sent().map(([, words]) => words)).toEqual(["prompt", "one", "prompt"])
    // It is possible to go back to what was left out.
    resumeAt(again, messageOf(again, "three"))
    await run(again, [textAnswer("seven")])
    expect(sent().map(([, words]) => words)).toEqual(["prompt", "one", "prompt", "two", "prompt", "three", "prompt"])
    harness.crash()
    await run(harness.boot(), [textAnswer("eight")])
    expect(sent().map(([, words]) => words)).toEqual([
      "prompt",
      "one",
      "prompt",
      "two",
      "prompt",
      "three",
      "prompt",
      "seven",
      "prompt",
    ])
  })

  it("keeps the blocks of a message up to the named one, and calls without a result get one", async () => {
    const { harness, booted } = started()
    booted.workspace.writeBytes("/workspace/a.txt", "alpha")
    const read = () => call("Read", { file_path: "/workspace/a.txt" })
    await run(booted, [{ content: [text("first"), read(), read()] }, textAnswer("second")])
    const blocks = eventsOf(booted.log).filter((event) => event.name === "sdk:assistant")
    resumeAt(booted, blocks[0]?.uuid ?? "")
    await run(booted, [textAnswer("third")])
    expect(sent()).toEqual([
      ["user", "prompt"],
      ["assistant", "first"],
      ["user", "prompt"],
    ])
    resumeAt(booted, blocks[1]?.uuid ?? "")
    expect(booted.session.prompts.hasDeferredCall).toBe(false)
    await run(booted, [textAnswer("fourth")])
    const conversation = [
      ["user", "prompt"],
      ["assistant", "first", "tool_use"],
      ["user", "tool_result!", "prompt"],
    ]
    expect(sent()).toEqual(conversation)
    harness.crash()
    await run(harness.boot(), [textAnswer("fifth")])
    expect(sent()).toEqual([...conversation, ["assistant", "fourth"], ["user", "prompt"]])
  })

  it("keeps the result in a named user message", async () => {
    const { booted } = started()
    await run(booted, [{ content: [call("Bash", { command: "echo x", description: "Say x" })] }, textAnswer("second")])
    const result = eventsOf(booted.log).find((event) => event.name === "sdk:user")
    resumeAt(booted, result?.uuid ?? "")
    await run(booted, [textAnswer("third")])
    expect(sent()).toEqual([
      ["user", "prompt"],
      ["assistant", "tool_use"],
      ["user", "tool_result", "prompt"],
    ])
  })

  it("at a prompt keeps the prompt and not its answer", async () => {
    const { booted } = started()
    await run(booted, [textAnswer("one")])
    const second = await run(booted, [textAnswer("two")])
    resumeAt(booted, second)
    await run(booted, [textAnswer("three")])
    expect(sent()).toEqual([
      ["user", "prompt"],
      ["assistant", "one"],
      ["user", "prompt", "prompt"],
    ])
  })

  it("no longer knows a file that was read only after it", async () => {
    const { booted } = started()
    booted.workspace.writeBytes("/workspace/a.txt", "alpha")
    await run(booted, [textAnswer("one")])
    await run(booted, [{ content: [call("Read", { file_path: "/workspace/a.txt" })] }, textAnswer("two")])
    expect([...booted.session.memory.knownFiles]).toEqual(["/workspace/a.txt"])
    resumeAt(booted, messageOf(booted, "one"))
    expect([...booted.session.memory.knownFiles]).toEqual([])
  })

  it("leaves a call that a hook deferred to the next prompt, if it was deferred before", async () => {
    const { harness, booted } = started()
    const decision = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" } }
    await harness.connect({ PreToolUse: decision }).initialize()
    await run(booted, [{ content: [text("first"), call("Bash", { command: "echo x", description: "Say x" })] }])
    expect(booted.session.prompts.hasDeferredCall).toBe(true)
    const [, use] = eventsOf(booted.log).filter((event) => event.name === "sdk:assistant")
    resumeAt(booted, use?.uuid ?? "")
    expect(booted.session.prompts.hasDeferredCall).toBe(true)
    resumeAt(booted, messageOf(booted, "first"))
    expect(booted.session.prompts.hasDeferredCall).toBe(false)
  })
})

describe("a session that is resumed", () => {
  it("is refused at a message that it does not have or that is not a message, and then changes nothing", async () => {
    const { booted } = started()
    await run(booted, [textAnswer("one")])
    const before = eventsOf(booted.log)
    const result = before.find((event) => event.name.startsWith("sdk:result"))
    for (const at of [crypto.randomUUID(), "", "x".repeat(200), result?.uuid ?? ""]) {
      expect(resumeAt(booted, at)).toMatchObject({ refused: { type: "not_found_error" } })
    }
    expect(eventsOf(booted.log)).toEqual(before)
    expect(booted.session.resumption.starting).toBeNull()
  })

  it("is refused at a message while a turn is open, but not without a message", async () => {
    const { booted } = started()
    const one = await run(booted, [textAnswer("one")])
    const name = scriptName("slow")
    sessions.api.set(name, [textAnswer("two")])
    prompt(booted.session, promptFor(name))
    expect(resumeAt(booted, one)).toMatchObject({ refused: { type: "conflict_error" } })
    expect(booted.session.resumption.resume({ options: BYPASS })).toBeUndefined()
    await booted.idle()
    expect(resumeAt(booted, one)).toBeUndefined()
  })

  it("keeps the limits of its workspace, and conflicts with different ones", () => {
    const limits = { files: 5, bytes: 1000 }
    const { booted } = started({ ...BYPASS, workspace_limits: limits })
    const { session } = booted
    const takeUp = (options: SessionOptions) => session.resumption.resume({ options })
    expect(takeUp({ model: "opus" })).toBeUndefined()
    expect(session.record.options).toEqual({ model: "opus", workspace_limits: limits })
    expect(takeUp({ workspace_limits: { bytes: 1000, files: 5 } })).toBeUndefined()
    for (const other of [{ files: 5 }, { files: 6, bytes: 1000 }, { ...limits, file_bytes: 1 }, {}]) {
      expect(takeUp({ model: "haiku", workspace_limits: other })).toMatchObject({
        refused: { type: "conflict_error", field: "options.workspace_limits" },
      })
    }
    expect(session.record.options).toEqual({ model: "opus", workspace_limits: limits })
    expect(session.changes.patch({ options: { workspace_limits: { files: 9 } } })).toBeUndefined()
    expect(takeUp({})).toBeUndefined()
    expect(session.record.options).toEqual({ model: "opus", workspace_limits: { files: 9 } })
  })

  it("that has no workspace limits gets none", () => {
    const { booted } = started()
    expect(booted.session.resumption.resume({ options: { workspace_limits: { files: 1 } } })).toMatchObject({
      refused: { type: "conflict_error" },
    })
    expect(booted.session.resumption.resume({ options: { workspace_limits: {} } })).toBeUndefined()
    expect(booted.session.record.options).toEqual({})
  })

  it("starts its next turn with SessionStart from resume, once per resume, also over a restart", async () => {
    const { harness, booted } = started()
    const sources = ({ log }: Booted) =>
      eventsOf(log).flatMap(({ payload }) => {
        const { hook_event_name: name, input } = payload as { hook_event_name?: string; input: { source: string } }
        return name === "SessionStart" ? [input.source] : []
      })
    booted.session.resumption.resume({ options: BYPASS })
    await run(booted, [textAnswer("one")])
    await run(booted, [textAnswer("two")])
    expect(sources(booted)).toEqual(["startup"])
    booted.session.resumption.resume({ options: BYPASS })
    booted.session.resumption.resume({ options: BYPASS })
    harness.crash()
    const again = harness.boot()
    await run(again, [textAnswer("three")])
    await run(again, [textAnswer("four")])
    harness.crash()
    const last = harness.boot()
    await run(last, [textAnswer("five")])
    expect(sources(last)).toEqual(["startup", "resume"])
  })

  it("by a repeated request is not resumed again; another request with the same key is refused", async () => {
    const { booted } = started()
    const once = { key: "k", fingerprint: "a" }
    expect(booted.session.resumption.resume({ options: { maxTurns: 1 }, once })).toBeUndefined()
    const { lastSeq } = booted.log
    booted.session.changes.setOptions({ maxTurns: 2 })
    expect(booted.session.resumption.resume({ options: { maxTurns: 1 }, once })).toBeUndefined()
    expect(booted.session.record.options).toEqual({ maxTurns: 2 })
    expect(booted.log.lastSeq).toBe(lastSeq + 1)
    const other = { key: "k", fingerprint: "b" }
    expect(booted.session.resumption.resume({ options: {}, once: other })).toMatchObject({
      refused: { type: "unprocessable_error" },
    })
    for (let n = 0; n < 50; n += 1)
      booted.session.resumption.resume({ options: {}, once: { key: `k${n}`, fingerprint: "a" } })
    expect(booted.session.resumption.resume({ options: {}, once: { key: "k49", fingerprint: "b" } })).toBeDefined()
  })
})

describe("the head's path", () => {
  it("has after any moves the conversation at the position that was moved to", () => {
    /** Step by step: each event appends itself to the path, a move restores the path at its position. */
    const naive = (length: number, moves: ReadonlyMap<number, number>): ReadonlyArray<number> => {
      const at: Array<ReadonlyArray<number>> = [[]]
      for (let seq = 1; seq <= length; seq += 1) at.push([...(at[moves.get(seq) ?? seq - 1] ?? []), seq])
      return at[length] ?? []
    }
    const logs = fc
      .integer({ min: 1, max: 40 })
      .chain((length) =>
        fc.tuple(
          fc.constant(length),
          fc.array(fc.tuple(fc.integer({ min: 2, max: 41 }), fc.integer({ min: 1, max: 40 })), { maxLength: 8 }),
        ),
      )
    fc.assert(
      fc.property(logs, ([length, pairs]) => {
        const moves = new Map(pairs.filter(([seq, to]) => seq <= length && to < seq).toSorted(([a], [b]) => a - b))
        const path = new HeadPath(Array.from(moves, ([seq, to]) => ({ seq, to })))
        const held = Array.from({ length }, (_, index) => index + 1).filter((seq) => path.has(seq))
        expect(held).toEqual(naive(length, moves))
      }),
    )
  })
})
