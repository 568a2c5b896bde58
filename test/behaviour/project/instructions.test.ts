// CLAUDE.md and related files: what the model is sent, when, and what it is not sent.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { type Files, PROJECT, projectSession } from "../../support/session/project-session.ts"
import { DONE, loop, payloadsOf, textOf } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"

const session = loop()

const withFiles = (files: Files, options: SessionOptions = PROJECT) => projectSession(session, files, options)

/** The files whose contents are in a text, in order. */
const shownIn = (text: string) => [...text.matchAll(/^Contents of (\S+)/gm)].map(([, path]) => path)

const first = (messages: Awaited<ReturnType<Awaited<ReturnType<typeof withFiles>>["ask"]>>) => textOf(messages[0])

describe("at the start", () => {
  it("the model receives the files of the session's directory before the first prompt, in the CLI's order", async () => {
    const { ask } = await withFiles({
      "CLAUDE.md": "ROOT\n@docs/one.md\n@missing.md\n",
      "docs/one.md": "ONE\n@deep.md\n",
      "docs/deep.md": "DEEP @../CLAUDE.md\n",
      ".claude/CLAUDE.md": "INNER",
      ".claude/rules/r.md": "RULE",
      ".claude/rules/more/s.md": "RULE TWO",
      ".claude/rules/p.md": "---\npaths: src/**/*.ts\n---\nLATER",
      "CLAUDE.local.md": "LOCAL",
      "sub/CLAUDE.md": "SUB",
    })
    const [message] = await ask()
    expect(message?.content[0]?.text).toMatch(/^<system-reminder>\n[\s\S]*ROOT[\s\S]*<\/system-reminder>$/)
    expect(message?.content.at(-1)?.text).toContain("[[script:")
    expect(shownIn(textOf(message))).toEqual([
      "/workspace/CLAUDE.md",
      "/workspace/docs/one.md",
      "/workspace/docs/deep.md",
      "/workspace/.claude/CLAUDE.md",
      "/workspace/.claude/rules/r.md",
      "/workspace/.claude/rules/more/s.md",
      "/workspace/CLAUDE.local.md",
    ])
  })

  it("comments for people are neither sent nor followed", async () => {
    const { ask } = await withFiles({
      "CLAUDE.md": "ROOT\n<!-- PRIVATE @note.md -->\n",
      "note.md": "NOTE",
    })
    const text = first(await ask())
    expect(shownIn(text)).toEqual(["/workspace/CLAUDE.md"])
    expect(text).not.toContain("PRIVATE")
  })

  it.each([
    [["project"], ["/workspace/CLAUDE.md"]],
    [["local"], ["/workspace/CLAUDE.local.md"]],
    [["user"], []],
    [[], []],
  ] as const)("settingSources %o reads %o", async (settingSources, expected) => {
    const { ask, events } = await withFiles(
      { "CLAUDE.md": "ROOT", "CLAUDE.local.md": "LOCAL" },
      { ...PROJECT, settingSources },
    )
    expect(shownIn(first(await ask()))).toEqual(expected)
    expect(payloadsOf(events(), "instructions:loaded")).toHaveLength(expected.length)
  })

  it("each file fires InstructionsLoaded with the reason why it is read", async () => {
    const { ask, events } = await withFiles({ "CLAUDE.md": "@a.md", "a.md": "A" })
    await ask()
    const fired = payloadsOf(events(), "hook:fired").filter((hook) => hook["hook_event_name"] === "InstructionsLoaded")
    const base = { hook_event_name: "InstructionsLoaded", cwd: "/workspace", memory_type: "Project" }
    expect(fired.map(({ input }) => input)).toEqual([
      expect.objectContaining({ ...base, file_path: "/workspace/CLAUDE.md", load_reason: "session_start" }),
      expect.objectContaining({
        ...base,
        file_path: "/workspace/a.md",
        load_reason: "include",
        parent_file_path: "/workspace/CLAUDE.md",
      }),
    ])
    expect(fired[0]?.["input"]).not.toHaveProperty("permission_mode")
  })

  it("a message of an InstructionsLoaded hook is not sent, as with the official SDK: system/init is first", async () => {
    const hooks = { InstructionsLoaded: { systemMessage: "loaded" } }
    const { ask, events } = await projectSession(session, { "CLAUDE.md": "ROOT" }, PROJECT, hooks)
    await ask()
    expect(events().find(({ name }) => name.startsWith("sdk:"))?.name).toBe("sdk:system/init")
    expect(payloadsOf(events(), "sdk:system/informational")).toEqual([])
  })

  it.each(["@sub/x.txt", "@sub/none.txt", "@none @sub/none/x.txt"])(
    "each file's hook callback has an id of its own, also in the folders of %s, which may be missing",
    async (mentions) => {
      const files = { "CLAUDE.md": "ROOT", "CLAUDE.local.md": "LOCAL", "sub/CLAUDE.md": "SUB", "sub/x.txt": "x" }
      const opened = await projectSession(session, files, PROJECT, { InstructionsLoaded: {} })
      const script = session.scripted([DONE])
      prompt(opened.session, `${promptFor(script)} ${mentions}`)
      await opened.idle()
      const { called } = opened.client
      expect(called.map(({ input }) => input["file_path"])).toEqual([
        "/workspace/CLAUDE.md",
        "/workspace/CLAUDE.local.md",
        "/workspace/sub/CLAUDE.md",
      ])
      expect(new Set(called.map(({ requestId }) => requestId)).size).toBe(3)
    },
  )
})

describe("imports", () => {
  it("stop at the fourth level", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"]
    const files = Object.fromEntries(names.map((name, at) => [`${name}.md`, `${name} @${names[at + 1]}.md`]))
    const { ask } = await withFiles({ ...files, "CLAUDE.md": "@a.md" })
    expect(shownIn(first(await ask())).slice(1)).toEqual(["a", "b", "c", "d"].map((name) => `/workspace/${name}.md`))
  })

  it("can't leave the session's directories, even through links", async () => {
    const { workspace, ask } = await withFiles({ "CLAUDE.md": "@/secret.md @link.md @../secret.md ROOT" })
    workspace.writeBytes("/secret.md", "SECRET")
    workspace.symlink("/secret.md", "/workspace/link.md")
    const text = first(await ask())
    expect(text).toContain("ROOT")
    expect(text).not.toContain("SECRET")
  })

  it("obey deny rules", async () => {
    const { ask } = await withFiles(
      { "CLAUDE.md": "ROOT @private/a.md", "private/a.md": "SECRET" },
      { ...PROJECT, disallowedTools: ["Read(private/**)"] },
    )
    const text = first(await ask())
    expect(text).toContain("ROOT")
    expect(text).not.toContain("SECRET")
  })

  it("are limited: a long file is truncated, and says so", async () => {
    const { ask } = await withFiles({ "CLAUDE.md": "x".repeat(100_000) })
    const text = first(await ask())
    expect(text.length).toBeLessThan(70_000)
    expect(text).toContain("too long and was left out")
  })
})

describe("later turns", () => {
  it("repeat the same bytes, and read nothing again", async () => {
    const { ask, events } = await withFiles({ "CLAUDE.md": "ROOT" })
    const one = await ask()
    const two = await ask()
    expect(two[0]?.content[0]).toEqual(one[0]?.content[0])
    expect(two.slice(1).map(textOf).join()).not.toContain("ROOT")
    expect(payloadsOf(events(), "instructions:loaded")).toHaveLength(1)
  })

  it("receive what has changed or was deleted before their prompt", async () => {
    const { ask, write, workspace } = await withFiles({ "CLAUDE.md": "OLD", "CLAUDE.local.md": "MINE" })
    await ask()
    write({ "CLAUDE.md": "NEW" })
    workspace.remove("/workspace/CLAUDE.local.md")
    const messages = await ask()
    expect(first(messages)).toContain("OLD")
    const last = textOf(messages.at(-1))
    expect(last).toContain("NEW")
    expect(last).toContain("no longer in force: /workspace/CLAUDE.local.md")
    expect(last).not.toContain("MINE")
  })

  it("receive a removal of what a session stops reading", async () => {
    const { ask } = await withFiles({ "CLAUDE.md": "ROOT" })
    await ask()
    expect(textOf((await ask([DONE], { settingSources: [] })).at(-1))).toContain(
      "no longer in force: /workspace/CLAUDE.md",
    )
  })

  it("a session that is reloaded from its log sends the same", async () => {
    const { ask, session } = await withFiles({ "CLAUDE.md": "ROOT" })
    const one = await ask()
    session.fold.drop()
    expect((await ask())[0]?.content[0]).toEqual(one[0]?.content[0])
  })
})

describe("a folder's own instructions", () => {
  it("are sent with the first file that is read there, after its result", async () => {
    const { read, events } = await withFiles({
      "sub/CLAUDE.md": "SUB @more.md",
      "sub/more.md": "MORE",
      "sub/deep/CLAUDE.local.md": "DEEP",
      "sub/deep/x.txt": "x",
      "other/CLAUDE.md": "OTHER",
    })
    const messages = await read("sub/deep/x.txt")
    const results = messages.at(-1)
    expect(results?.content[0]?.type).toBe("tool_result")
    expect(shownIn(textOf(results))).toEqual([
      "/workspace/sub/CLAUDE.md",
      "/workspace/sub/more.md",
      "/workspace/sub/deep/CLAUDE.local.md",
    ])
    const again = await read("sub/deep/x.txt")
    expect(shownIn(textOf(again.at(-1)))).toEqual([])
    expect(payloadsOf(events(), "instructions:loaded")).toHaveLength(1)
  })

  it("include its rules, whose paths are relative to it", async () => {
    const { read } = await withFiles({
      "sub/.claude/rules/more/all.md": "ALL",
      "sub/.claude/rules/ts.md": "---\npaths: '*.ts'\n---\nTYPED",
      "sub/.claude/rules/root.md": "---\npaths: sub/*.ts\n---\nROOTED",
      "sub/a.js": "a",
      "sub/b.ts": "b",
    })
    expect(shownIn(textOf((await read("sub/a.js")).at(-1)))).toEqual(["/workspace/sub/.claude/rules/more/all.md"])
    expect(shownIn(textOf((await read("sub/b.ts")).at(-1)))).toEqual(["/workspace/sub/.claude/rules/ts.md"])
  })

  it("rules with paths are sent with a file that matches", async () => {
    const { read } = await withFiles({
      ".claude/rules/ts.md": "---\npaths:\n  - src/*.ts\n---\nTYPED",
      "src/a.ts": "a",
      "src/b.js": "b",
    })
    expect(textOf((await read("src/b.js")).at(-1))).not.toContain("TYPED")
    expect(textOf((await read("src/a.ts")).at(-1))).toContain("TYPED")
  })

  it("remain in effect in later turns, and are sent again when they have changed", async () => {
    const { read, ask, write } = await withFiles({ "CLAUDE.md": "ROOT", "sub/CLAUDE.md": "SUB", "sub/x.txt": "x" })
    await read("sub/x.txt")
    expect(textOf((await ask()).at(-1))).not.toContain("no longer in force")
    write({ "sub/CLAUDE.md": "SUB TWO" })
    expect(textOf((await read("sub/x.txt")).at(-1))).toContain("SUB TWO")
  })

  it("are sent with a script that names files there, once each, as in the CLI", async () => {
    const { uses, events } = await withFiles({
      "sub/CLAUDE.md": "SUB",
      "sub/x.txt": "x",
      "sub/y.txt": "y",
      "other/CLAUDE.md": "OTHER",
      "other/z.txt": "z",
      ".claude/rules/r.md": "---\npaths: other/**\n---\nRULE",
    })
    const script = "cat sub/x.txt sub/y.txt nowhere.txt; wc -l < other/z.txt"
    const messages = await uses(call("Bash", { command: script, description: "d" }))
    expect(shownIn(textOf(messages.at(-1)))).toEqual([
      "/workspace/sub/CLAUDE.md",
      "/workspace/other/CLAUDE.md",
      "/workspace/.claude/rules/r.md",
    ])
    const [loaded] = payloadsOf(events(), "instructions:loaded")
    expect(loaded?.["files"]).toEqual(
      ["sub/x.txt", "other/z.txt", "other/z.txt"].map((name) =>
        expect.objectContaining({ trigger_file_path: `/workspace/${name}` }),
      ),
    )
  })

  it("are sent with a Read that fails, as recorded", async () => {
    const { read, events } = await withFiles({ "sub/CLAUDE.md": "SUB" })
    expect(shownIn(textOf((await read("sub/no/none.txt")).at(-1)))).toEqual(["/workspace/sub/CLAUDE.md"])
    const [loaded] = payloadsOf(events(), "instructions:loaded")
    expect(loaded?.["files"]).toMatchObject([{ trigger_file_path: "/workspace/sub/no/none.txt" }])
  })

  it("are not sent with a Read that is denied, any other call that fails, or in a session that reads no files", async () => {
    const files = { "sub/CLAUDE.md": "SUB", "sub/x.txt": "x" }
    const denied = await withFiles(files, { ...PROJECT, disallowedTools: ["Read(sub/x.txt)"] })
    expect(textOf((await denied.read("sub/x.txt")).at(-1))).not.toContain("SUB")
    const { uses } = await withFiles(files)
    const edit = call("Edit", { file_path: "/workspace/sub/none.txt", old_string: "a", new_string: "b" })
    expect(textOf((await uses(edit)).at(-1))).not.toContain("SUB")
    const script = "cat sub/x.txt; cat sub/none.txt; false"
    expect(textOf((await uses(call("Bash", { command: script, description: "d" }))).at(-1))).not.toContain("SUB")
    const other = await withFiles({ "sub/CLAUDE.md": "SUB", "sub/x.txt": "x" }, { ...PROJECT, settingSources: [] })
    expect(textOf((await other.read("sub/x.txt")).at(-1))).not.toContain("SUB")
  })

  const folders = { "a/CLAUDE.md": "IN A", "a/x.txt": "x", "b/CLAUDE.md": "IN B", "b/x.txt": "x" }
  const read = (folder: string) => call("Read", { file_path: `/workspace/${folder}/x.txt` })
  const order = (events: Parameters<typeof payloadsOf>[0]) =>
    payloadsOf(events, "hook:fired").flatMap(({ hook_event_name: name, input }) =>
      name === "PostToolUse" || name === "PostToolBatch"
        ? [name]
        : name === "InstructionsLoaded"
          ? [(input as Record<string, unknown>)["file_path"]]
          : [],
    )

  it.each([
    ["while no hook listens", {}],
    ["while hooks listen", { PostToolBatch: {}, InstructionsLoaded: {} }],
  ])("are loaded after PostToolBatch, for all calls of an answer, %s", async (_, hooks) => {
    const { ask, events } = await projectSession(session, folders, PROJECT, hooks)
    const sent = await ask([{ content: [read("a"), read("b")] }, DONE])
    const loaded = ["/workspace/a/CLAUDE.md", "/workspace/b/CLAUDE.md"]
    expect(order(events())).toEqual(["PostToolUse", "PostToolUse", "PostToolBatch", ...loaded])
    expect(
      payloadsOf(events(), "instructions:loaded").map((payload) => (payload["files"] as ReadonlyArray<unknown>).length),
    ).toEqual([2])
    expect(shownIn(sent.map(textOf).join("\n"))).toEqual(loaded)
  })

  it.each([
    ["PostToolUse", { continue: false }],
    ["PostToolBatch", { continue: false }],
    ["PostToolBatch", { decision: "block", reason: "no" }],
  ])("are not loaded when a %s hook ends the turn with %o", async (event, outcome) => {
    const { ask, events } = await projectSession(session, folders, PROJECT, { [event]: outcome })
    await ask([{ content: [read("a")] }, DONE])
    expect(payloadsOf(events(), "instructions:loaded")).toEqual([])
  })
})

describe("a subagent", () => {
  it.each([
    [undefined, true],
    [false, true],
    [true, false],
  ] as const)("with omitClaudeMd %s is sent the files: %s", async (omitClaudeMd, expected) => {
    const helper = { description: "Helps.", prompt: "Help.", ...(omitClaudeMd === undefined ? {} : { omitClaudeMd }) }
    const { ask } = await withFiles({ "CLAUDE.md": "ROOT" }, { ...PROJECT, agents: { helper } })
    const sub = session.scripted([DONE])
    const input = { description: "d", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
    await ask([{ content: [call("Agent", input)] }, DONE])
    expect(session.messagesSent(sub).map((messages) => JSON.stringify(messages).includes("ROOT"))).toEqual([expected])
  })

  it("fires InstructionsLoaded for the files of folders that it reads, not for those that it starts with", async () => {
    const helper = { description: "Helps.", prompt: "Help." }
    const files = { "CLAUDE.md": "ROOT", "sub/CLAUDE.md": "SUB", "sub/x.txt": "x" }
    const { ask, events } = await withFiles(files, { ...PROJECT, agents: { helper } })
    const sub = session.scripted([{ content: [call("Read", { file_path: "/workspace/sub/x.txt" })] }, DONE])
    const input = { description: "d", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
    await ask([{ content: [call("Agent", input)] }, DONE])
    const fired = payloadsOf(events(), "hook:fired").filter((hook) => hook["hook_event_name"] === "InstructionsLoaded")
    expect(fired.map(({ input }) => input)).toEqual([
      expect.not.objectContaining({ agent_type: "helper" }),
      expect.objectContaining({ file_path: "/workspace/sub/CLAUDE.md", agent_type: "helper" }),
    ])
  })
})
