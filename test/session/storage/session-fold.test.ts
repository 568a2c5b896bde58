// A session's memory, read from its checkpoint and the events after it, equals a fold of the whole log.
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { png } from "../../support/values/images.ts"
import type { SessionMemory } from "../../../src/agent/transcript/projection.ts"
import { FoldCheckpoint } from "../../../src/session/storage/fold-checkpoint.ts"
import { IsolateMemory } from "../../../src/session/storage/isolate-memory.ts"
import { revertSession, unrevertSession } from "../../../src/session/revert/reverts.ts"
import { SessionFold } from "../../../src/session/storage/session-fold.ts"
import { BYPASS, loop } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, prompt, type SessionHarness } from "../../support/session/session-harness.ts"
import { summaryNaming } from "../../behaviour/compaction/compactions.ts"
import { openTwin } from "../../workspace/sql-twin.ts"

const { harnessOf, scripted } = loop()

const todo = (content: string) => ({ content, status: "pending", activeForm: `doing ${content}` })
const HELPER = { description: "Helps.", prompt: "You help.", tools: ["Read"] }
const OPTIONS = { ...BYPASS, agents: { helper: HELPER } }
const CWD = () => "/workspace"

/** What a session does between two reads. */
const TURNS = {
  text: () => [textAnswer("Hello.")],
  write: () => [
    { content: [call("Write", { file_path: "/workspace/a.txt", content: `${"é".repeat(2000)}\n` })] },
    textAnswer("Written."),
  ],
  read: () => [
    { content: [text("I look."), call("Read", { file_path: "/workspace/a.txt" }), call("Glob", { pattern: "*" })] },
    textAnswer("Read."),
  ],
  todos: () => [{ content: [call("TodoWrite", { todos: [todo("one"), todo("two")] })] }, textAnswer("Listed.")],
  task: () => [{ content: [call("TaskCreate", { subject: "A task", description: "To do." })] }, textAnswer("Made.")],
  cd: () => [{ content: [call("Bash", { command: "mkdir -p d; cd d", description: "Go" })] }, textAnswer("There.")],
  agent: () => {
    const inner = scripted([{ content: [call("Read", { file_path: "/workspace/a.txt" })] }, textAnswer("Helped.")])
    const use = { description: "help", subagent_type: "helper", prompt: promptFor(inner), run_in_background: false }
    return [{ content: [call("Agent", use)] }, textAnswer("The helper is done.")]
  },
} as const
type Kind = keyof typeof TURNS

const step = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...(Object.keys(TURNS) as ReadonlyArray<Kind>)) },
  { weight: 1, arbitrary: fc.constant("image" as const) },
  { weight: 1, arbitrary: fc.constant("revert" as const) },
  { weight: 1, arbitrary: fc.constant("undone revert" as const) },
  { weight: 1, arbitrary: fc.constantFrom("/clear" as const, "/compact" as const) },
  { weight: 2, arbitrary: fc.constant("rest" as const) },
  { weight: 1, arbitrary: fc.constant("reboot" as const) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const shownOf = (memory: SessionMemory): unknown =>
  JSON.parse(
    JSON.stringify({
      saved: memory.save(),
      messages: memory.transcript.messages(),
      open: memory.transcript.openCalls(),
      tasks: memory.tasks,
      todos: memory.todos,
      cwd: memory.cwd,
      spent: memory.accounting.spent,
    }),
  )

/** A fold that stores its checkpoints where the session does, after every event. */
const restingFold = ({ twin }: SessionHarness, { log }: Booted): SessionFold =>
  new SessionFold(log, twin, CWD, { every: 1, isolate: new IsolateMemory() })

/** The fold of the whole log: it finds no checkpoint where it looks. */
const wholeFold = ({ log }: Booted): SessionFold => new SessionFold(log, openTwin(), CWD)

const longPrompt = `${"a long text ".repeat(30_000)} [end]`

const doStep = async (harness: SessionHarness, booted: Booted, wanted: Step): Promise<Booted> => {
  if (wanted === "reboot") {
    harness.crash()
    return harness.boot()
  }
  if (wanted === "rest") {
    const fold = restingFold(harness, booted)
    fold.memory.transcript.messages()
    fold.rest()
    return booted
  }
  if (wanted === "/clear" || wanted === "/compact") {
    prompt(booted.session, wanted)
    await booted.idle()
    return booted
  }
  if (wanted === "revert") {
    const answers = [...booted.log.all()].filter(({ event }) => event.name === "sdk:assistant")
    const at = answers.at(Math.floor(answers.length / 2))?.event.uuid
    if (at !== undefined) booted.session.resumption.resume({ options: OPTIONS, at })
    return booted
  }
  if (wanted === "undone revert") {
    const prompts = [...booted.log.all()].filter(({ event }) => event.name === "turn:queued")
    const at = prompts.at(Math.floor(prompts.length / 2))?.event.uuid
    if (at !== undefined && revertSession(booted.session, { messageID: at }) === undefined)
      expect(unrevertSession(booted.session, {})).toBeUndefined()
    return booted
  }
  const turns = [...(wanted === "image" ? TURNS.text() : TURNS[wanted]())]
  const script = scripted({ turns, compact: summaryNaming(scripted([textAnswer("After it.")])) })
  if (wanted === "image") {
    const source = { type: "base64" as const, media_type: "image/png" as const, data: png(200, 200).toString("base64") }
    const blocks = [
      { type: "image", source },
      { type: "text", text: `${promptFor(script)} ${longPrompt}` },
    ]
    booted.session.prompts.submit({
      turn: crypto.randomUUID(),
      prompt: blocks as never,
      onBusy: "queue",
      options: {},
      fingerprint: script,
    })
  } else prompt(booted.session, promptFor(script))
  await booted.idle()
  return booted
}

describe("the memory of a session", () => {
  it(
    "is the same from a checkpoint as from the whole log, whatever the session does",
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
          const harness = harnessOf(OPTIONS)
          let booted = harness.boot()
          try {
            for (const wanted of ["rest", ...steps] as const) {
              booted = await doStep(harness, booted, wanted)
              const whole = shownOf(wholeFold(booted).memory)
              expect(shownOf(new SessionFold(booted.log, harness.twin, CWD).memory)).toEqual(whole)
              expect(shownOf(booted.session.memory)).toEqual(whole)
            }
          } finally {
            await harness.dispose()
          }
        }),
        { numRuns: 12 },
      )
    },
  )

  const afterTurns = async (count: number) => {
    const harness = harnessOf(OPTIONS)
    const booted = harness.boot()
    for (let left = count; left > 0; left -= 1) await doStep(harness, booted, "write")
    return { harness, booted }
  }

  /** The number of events that a new fold reads from the log. */
  const eventsRead = (harness: SessionHarness, booted: Booted, use: (fold: SessionFold) => void): number => {
    const all = vi.spyOn(booted.log, "all")
    use(new SessionFold(booted.log, harness.twin, CWD))
    const [after = 0] = all.mock.calls.at(-1) ?? []
    all.mockRestore()
    return booted.log.lastSeq - after
  }

  it("reads only the events after the checkpoint", async () => {
    const { harness, booted } = await afterTurns(8)
    restingFold(harness, booted).rest()
    const fold = restingFold(harness, booted)
    fold.memory.transcript.messages()
    fold.rest()
    const before = booted.log.lastSeq
    expect(eventsRead(harness, booted, ({ memory }) => memory)).toBe(0)
    await doStep(harness, booted, "text")
    expect(eventsRead(harness, booted, ({ memory }) => memory)).toBe(booted.log.lastSeq - before)
  })

  it("reads only the events after the checkpoint when a revert to a place before it was undone", async () => {
    const { harness, booted } = await afterTurns(8)
    restingFold(harness, booted).rest()
    const fold = restingFold(harness, booted)
    fold.memory.transcript.messages()
    fold.rest()
    await doStep(harness, booted, "text")
    const [second] = [...booted.log.all()].filter(({ event }) => event.name === "turn:queued").slice(1)
    expect(revertSession(booted.session, { messageID: second?.event.uuid ?? "" })).toBeUndefined()
    expect(eventsRead(harness, booted, ({ memory }) => memory)).toBe(booted.log.lastSeq)
    expect(unrevertSession(booted.session, {})).toBeUndefined()
    expect(eventsRead(harness, booted, ({ memory }) => memory)).toBeLessThan(40)
    expect(shownOf(new SessionFold(booted.log, harness.twin, CWD).memory)).toEqual(shownOf(wholeFold(booted).memory))
  })

  it("reads the whole log when the checkpoint has another version, lacks a page, or can't be stored", async () => {
    const { harness, booted } = await afterTurns(8)
    const whole = shownOf(wholeFold(booted).memory)
    const tryWith = (damage: string) => {
      const fold = restingFold(harness, booted)
      expect(fold.memory.transcript.held.length).toBeGreaterThan(0)
      fold.rest()
      harness.twin.database.exec(damage)
      let memory: SessionMemory | undefined
      expect(eventsRead(harness, booted, (again) => (memory = again.memory))).toBe(booted.log.lastSeq)
      expect(memory === undefined ? null : shownOf(memory)).toEqual(whole)
    }
    tryWith("DELETE FROM folds WHERE kind = 'pages'")
    tryWith("DELETE FROM folds WHERE kind = 'state'")
    tryWith(
      `UPDATE folds SET bytes = CAST(replace(CAST(bytes AS TEXT), '{"version":', '{"version":9') AS BLOB) WHERE kind = 'state'`,
    )
    harness.twin.database.exec("DROP TABLE folds")
    const full = {
      ...harness.twin,
      transactionSync: () => {
        throw new Error("the disk is full")
      },
    }
    const fold = new SessionFold(booted.log, full, CWD, { every: 1, isolate: new IsolateMemory() })
    expect(shownOf(fold.memory)).toEqual(whole)
    fold.rest()
    expect(shownOf(fold.memory)).toEqual(whole)
  })

  it("stores a checkpoint between consecutive turns once the last one is far behind", async () => {
    const { harness, booted } = await afterTurns(4)
    const { lastSeq } = booted.log
    const pausedAt = (every: number) => {
      harness.twin.database.exec("DROP TABLE IF EXISTS folds")
      const fold = new SessionFold(booted.log, harness.twin, CWD, { every, isolate: new IsolateMemory() })
      expect(fold.memory.transcript.messages()).not.toEqual([])
      fold.pause()
      return new FoldCheckpoint(harness.twin.sql, harness.twin.transactionSync).read()?.seq
    }
    expect(pausedAt(lastSeq)).toBeUndefined()
    expect(pausedAt(Math.floor(lastSeq / 4))).toBe(lastSeq)
  })

  it("stores only what is new, and no checkpoint while a turn runs", async () => {
    const { harness, booted } = await afterTurns(8)
    const fold = restingFold(harness, booted)
    const checkpoint = new FoldCheckpoint(harness.twin.sql, harness.twin.transactionSync)
    expect(checkpoint.write(fold.memory, booted.log.lastSeq)).toBe(true)
    const rows = harness.twin.rowsWritten()
    expect(checkpoint.write(fold.memory, booted.log.lastSeq)).toBe(true)
    // Its state, and the page that is not full.
    expect(harness.twin.rowsWritten() - rows).toBe(2)
    const open = scripted([{ content: [call("Bash", { command: "echo", description: "Say" })] }, textAnswer("Done.")])
    booted.session.prompts.submit({
      turn: crypto.randomUUID(),
      prompt: promptFor(open),
      onBusy: "queue",
      options: { permissionMode: "default", settings: { permissions: { ask: ["Bash"] } } } as never,
      fingerprint: open,
    })
    await booted.idle()
    expect(booted.session.state).toBe("requires_action")
    expect(checkpoint.write(booted.session.memory, booted.log.lastSeq)).toBe(false)
  })
})

describe("the memory that the sessions of an isolate share", () => {
  const holding = (size: number) => ({
    size,
    dropped: false,
    drop() {
      this.dropped = true
      this.size = 0
    },
  })
  const MB = 1024 * 1024

  it("drops the session that was idle longest, and none that is running", () => {
    const isolate = new IsolateMemory()
    const sessions = Array.from({ length: 6 }, () => holding(6 * MB))
    for (const one of sessions) isolate.rest(one)
    expect(sessions.map(({ dropped }) => dropped)).toEqual([true, false, false, false, false, false])
    const [, second] = sessions
    if (second !== undefined) isolate.use(second)
    const more = Array.from({ length: 2 }, () => holding(6 * MB))
    for (const one of more) isolate.rest(one)
    expect(sessions.map(({ dropped }) => dropped)).toEqual([true, false, true, false, false, false])
  })

  it("drops a session that exceeds the share on its own", () => {
    const isolate = new IsolateMemory()
    const small = holding(MB)
    const large = holding(9 * MB)
    isolate.rest(small)
    isolate.rest(large)
    expect([small.dropped, large.dropped]).toEqual([false, true])
  })
})
