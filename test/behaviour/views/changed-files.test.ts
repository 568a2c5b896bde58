// Files that a turn changes: the snapshots, the diffs and the single patch in its messages.
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { Message, type Part } from "../../../src/schemas/parts.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"
import { eventsOf, prompt, SESSION_ID, SessionHarness } from "../../support/session/session-harness.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { runKilled } from "../../support/values/killed.ts"

let api: ScriptedApi

beforeAll(async () => {
  api = await createFakeApi()
})

afterAll(() => api.close())

type Turns = Parameters<ScriptedApi["set"]>[1]

const BYPASS = { permissionMode: "bypassPermissions" } as const
const write = (name: string, content: string) => call("Write", { file_path: `/workspace/${name}`, content })
const edit = (name: string, from: string, to: string) =>
  call("Edit", { file_path: `/workspace/${name}`, old_string: from, new_string: to })
const bash = (command: string) => call("Bash", { command, description: "Run" })
const done = { content: [text("Done.")] }

const messagesOf = (events: ReadonlyArray<LogEvent>): ReadonlyArray<Message> =>
  Schema.decodeUnknownSync(Schema.Array(Message))(projectParts(SESSION_ID, events), { onExcessProperty: "error" })

const partsOf = <T extends Part["type"]>(events: ReadonlyArray<LogEvent>, type: T) =>
  messagesOf(events)
    .flatMap(({ parts }) => parts)
    .filter((part): part is Extract<Part, { readonly type: T }> => part.type === type)

const named = (events: ReadonlyArray<LogEvent>, name: string) => events.filter((event) => event.name === name)

/** Runs one turn per script in one session. */
const run = async (...scripts: ReadonlyArray<Turns>) => {
  const harness = new SessionHarness(api.url, BYPASS)
  const { session, log, workspace, idle } = harness.boot()
  workspace.writeBytes("/workspace/old", "one\ntwo\n")
  const rows: Array<number> = []
  for (const script of scripts) {
    const name = scriptName("files")
    api.set(name, script)
    const before = harness.twin.rowsWritten()
    prompt(session, promptFor(name))
    await idle()
    rows.push(harness.twin.rowsWritten() - before)
  }
  const events = eventsOf(log)
  await harness.dispose()
  return { events, workspace, rows }
}

describe("a turn that changes files", () => {
  it("has one patch before its result, whichever tools changed them", async () => {
    const notebook = { cells: [{ id: "a", cell_type: "code", source: "1", metadata: {}, outputs: [] }], metadata: {} }
    const { events } = await run([
      { content: [write("new", "n\n"), bash("echo b > shell; rm old")] },
      { content: [write("book.ipynb", JSON.stringify({ ...notebook, nbformat: 4, nbformat_minor: 5 }))] },
      { content: [call("Read", { file_path: "/workspace/book.ipynb" })] },
      {
        content: [
          call("NotebookEdit", { notebook_path: "/workspace/book.ipynb", cell_id: "a", new_source: "2" }),
          edit("new", "n", "m"),
        ],
      },
      done,
    ])
    const [patched, ...more] = named(events, "turn:patched")
    expect(more).toEqual([])
    expect(patched?.turn).toBe(events.find(({ name }) => name === "turn:queued")?.turn)
    expect(events.findIndex(({ name }) => name === "turn:patched")).toBeLessThan(
      events.findIndex(({ name }) => name.startsWith("sdk:result")),
    )
    const paths = ["book.ipynb", "new", "old", "shell"].map((name) => `/workspace/${name}`)
    expect(partsOf(events, "patch")).toMatchObject([{ files: paths }])
    const answer = messagesOf(events).findLast(({ info }) => info.role === "assistant")
    expect(answer?.parts.map(({ type }) => type)).toEqual(["step-start", "text", "step-finish", "patch"])
  })

  it("has a snapshot before and after each step that changed one, and its diff", async () => {
    const { events } = await run([
      { content: [write("a", "1\n")] },
      { content: [call("Read", { file_path: "/workspace/a" })] },
      { content: [edit("a", "1", "2")] },
      done,
    ])
    const starts = partsOf(events, "step-start").map(({ snapshot }) => snapshot)
    const finishes = partsOf(events, "step-finish")
    const [empty, first, last] = [starts[0], finishes[0]?.snapshot, finishes[2]?.snapshot]
    expect(new Set([empty, first, last]).size).toBe(3)
    expect(starts).toEqual([empty, first, first, last])
    expect(finishes.map(({ snapshot }) => snapshot)).toEqual([first, undefined, last, undefined])
    expect(finishes.map(({ precomputedDiff }) => precomputedDiff)).toEqual([
      [{ file: "/workspace/a", status: "added", before: "", after: "1\n", additions: 1, deletions: 0 }],
      undefined,
      [{ file: "/workspace/a", status: "modified", before: "1\n", after: "2\n", additions: 1, deletions: 1 }],
      undefined,
    ])
    expect(partsOf(events, "snapshot").map(({ snapshot }) => snapshot)).toEqual([first, last])
    expect(partsOf(events, "patch")).toMatchObject([{ hash: empty, files: ["/workspace/a"] }])
  })

  it("shows its total changes in its prompt's summary", async () => {
    const { events } = await run([{ content: [write("a", "1\n")] }, { content: [edit("a", "1", "2")] }, done])
    const [asked] = messagesOf(events)
    expect(asked?.info).toMatchObject({
      role: "user",
      summary: {
        title: expect.stringMatching(/^\[\[script:files-\w+\]\] go$/),
        diffs: [{ file: "/workspace/a", before: "", after: "2\n", additions: 1, deletions: 0 }],
      },
    })
  })

  it("starts with the tree that the previous turn left, and gives equal trees the same id", async () => {
    const { events } = await run(
      [{ content: [write("a", "1\n")] }, done],
      [{ content: [edit("a", "1", "2")] }, done],
      [{ content: [bash("printf '1\\n' > a")] }, done],
    )
    const [first, second, third] = partsOf(events, "patch").map(({ hash }) => hash)
    const after = partsOf(events, "snapshot").map(({ snapshot }) => snapshot)
    expect([second, third]).toEqual([after[0], after[1]])
    expect(after[2]).toBe(after[0])
    expect(first).not.toBe(second)
  })

  it("includes what its subagents change", async () => {
    const inner = scriptName("inner")
    api.set(inner, [{ content: [write("by-agent", "x\n")] }, done])
    const agent = call("Agent", {
      description: "Write",
      prompt: promptFor(inner),
      subagent_type: "general-purpose",
      run_in_background: false,
    })
    const { events } = await run([{ content: [agent] }, done])
    expect(named(events, "snapshot:taken")).toHaveLength(1)
    expect(partsOf(events, "patch")).toMatchObject([{ files: ["/workspace/by-agent"] }])
    const steps = messagesOf(events).flatMap(({ info, parts }) =>
      parts.flatMap((part) =>
        part.type === "step-finish" && info.role === "assistant"
          ? [[info.sdk.parentToolUseId !== undefined, part.snapshot !== undefined]]
          : [],
      ),
    )
    expect(steps.filter(([inner]) => inner)).not.toEqual([])
    expect(steps.filter(([, shown]) => shown)).toEqual([[false, true]])
  })

  it("that is interrupted while a call runs still has its patch", async () => {
    const harness = new SessionHarness(api.url, BYPASS)
    const { session, log, idle, stopTurn } = harness.boot()
    const name = scriptName("files")
    api.set(name, [{ content: [write("a", "1\n"), call("Bash", { command: "sleep 600", description: "Wait" })] }, done])
    const began = new Promise<void>((resolve) => {
      harness.onCommit = () => {
        if (session.workspace.exists("/workspace/a")) resolve()
      }
    })
    prompt(session, promptFor(name))
    await began
    await stopTurn()
    await idle()
    const events = eventsOf(log)
    await harness.dispose()
    expect(partsOf(events, "patch")).toMatchObject([{ files: ["/workspace/a"] }])
    expect(partsOf(events, "step-finish")).toMatchObject([{ snapshot: expect.any(String) }])
  })
})

describe("a turn that changes no file", () => {
  it("writes nothing about files, and no extra rows for a step", async () => {
    const { events, rows } = await run(
      [done],
      [done],
      [{ content: [call("Read", { file_path: "/workspace/old" })] }, done],
      [{ content: [bash("cat old; touch -d @1 old; echo x > t; rm t")] }, done],
    )
    expect(events.filter(({ name }) => name === "snapshot:taken" || name === "turn:patched")).toEqual([])
    expect(rows[1]).toBeLessThanOrEqual(16)
    expect(rows[2]).toBeLessThanOrEqual((rows[1] ?? 0) + 8)
  })

  it("shows no summary", async () => {
    const { events } = await run([done])
    expect(messagesOf(events)[0]?.info).not.toHaveProperty("summary")
  })
})

describe("a file-changing turn whose process dies", () => {
  it("has one patch with its changes, and steps with theirs", async () => {
    const expected = [
      { file: "/workspace/a", before: "", after: "2\n" },
      { file: "/workspace/b", before: "", after: "b\n" },
    ]
    let deaths = 0
    for (let dieAfter = 1; ; dieAfter += 1) {
      const name = scriptName("files")
      api.set(name, [
        { content: [write("a", "1\n")] },
        { content: [edit("a", "1", "2")] },
        { content: [bash("echo b > b")] },
        done,
      ])
      const harness = new SessionHarness(api.url, BYPASS)
      const { booted, died } = await runKilled(harness, dieAfter, ({ session }) => prompt(session, promptFor(name)))
      const events = eventsOf(booted.log)
      await harness.dispose()
      const at = `death after transaction ${dieAfter}`
      const patches = named(events, "turn:patched")
      expect(patches, at).toHaveLength(1)
      expect(patches[0]?.payload, at).toMatchObject({ files: ["/workspace/a", "/workspace/b"], diffs: expected })
      const steps = named(events, "snapshot:taken").map(({ payload }) => payload)
      expect(steps, at).toMatchObject([
        { diffs: [{ file: "/workspace/a", before: "", after: "1\n" }] },
        { diffs: [{ file: "/workspace/a", before: "1\n", after: "2\n" }] },
        { diffs: [expected[1]] },
      ])
      const digests = steps.flatMap((payload) => [Reflect.get(payload, "before"), Reflect.get(payload, "snapshot")])
      expect([digests[1], digests[3]], at).toEqual([digests[2], digests[4]])
      expect(Reflect.get(patches[0]?.payload ?? {}, "hash"), at).toBe(digests[0])
      if (!died) break
      deaths += 1
    }
    expect(deaths).toBeGreaterThanOrEqual(5)
  })
})
