// The current directory of a conversation's shell: what changes it, what uses it, and what resets it.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import {
  type Booted,
  eventsOf,
  problemsOf,
  prompt,
  type SessionHarness,
} from "../../support/session/session-harness.ts"

const { connected, finish, harnessOf, scripted } = loop()

const ROOT = "/workspace"

/** One turn with these calls, each in a step of its own; returns their results as the model receives them. */
const run = async (booted: Booted, ...calls: ReadonlyArray<readonly [name: string, input: object]>) => {
  const uses = calls.map(([name, input]) => call(name, { ...input }))
  const turn = prompt(booted.session, promptFor(scripted([...uses.map((use) => ({ content: [use] })), DONE])))
  await booted.idle()
  const events = eventsOf(booted.log)
  expect(problemsOf(events, [turn])).toEqual([])
  const results = toolResultsOf(events)
  return uses.map(({ id }) => String(results.find((block) => block["tool_use_id"] === id)?.["content"]))
}

const bash = (command: string) => ["Bash", { command, description: "d" }] as const

const withFolders = (options = BYPASS): { readonly harness: SessionHarness; readonly booted: Booted } => {
  const harness = harnessOf(options)
  const booted = harness.boot()
  booted.workspace.mkdir(`${ROOT}/sub/deep`, { recursive: true })
  booted.workspace.writeBytes(`${ROOT}/sub/a.txt`, "inner\n")
  booted.workspace.writeBytes(`${ROOT}/a.txt`, "outer\n")
  return { harness, booted }
}

const moves = ({ log }: Booted) => payloadsOf(eventsOf(log), "cwd:changed").map(({ cwd }) => cwd)

/** The uuid of the last message of the conversation. */
const lastMessage = ({ log }: Booted): string =>
  eventsOf(log).findLast((event) => event.name === "sdk:assistant")?.uuid ?? ""

describe("the directory of the shell", () => {
  it("is kept from one call to the next and from one turn to the next", async () => {
    const { booted } = withFolders()
    expect(await run(booted, bash("cd sub"), bash("pwd"), bash("cd deep; pwd"))).toEqual([
      "(The command printed no output.)",
      `${ROOT}/sub`,
      `${ROOT}/sub/deep`,
    ])
    expect(await run(booted, bash("pwd; cd ..; cat a.txt"), bash("cd; pwd; echo ~"))).toEqual([
      `${ROOT}/sub/deep\ninner`,
      `${ROOT}\n${ROOT}`,
    ])
    expect(moves(booted)).toEqual([`${ROOT}/sub`, `${ROOT}/sub/deep`, `${ROOT}/sub`, ROOT])
    const inits = payloadsOf(eventsOf(booted.log), "sdk:system/init").map(({ cwd, original_cwd: first }) => [
      cwd,
      first,
    ])
    expect(inits).toEqual([
      [ROOT, ROOT],
      [`${ROOT}/sub/deep`, ROOT],
    ])
  })

  it("is the same after a restart, with the files that the call wrote", async () => {
    const { harness, booted } = withFolders()
    await run(booted, bash("cd sub && echo x > made"))
    harness.crash()
    expect(await run(harness.boot(), bash("pwd; cat made"))).toEqual([`${ROOT}/sub\nx`])
  })

  it("is not changed by a call that failed, by a subshell and by a command in the background", async () => {
    const { booted } = withFolders()
    const background = ["Bash", { command: "cd sub", description: "d", run_in_background: true }] as const
    const results = await run(booted, bash("cd sub && exit 3"), bash("(cd sub); cd sub | cat"), background, bash("pwd"))
    expect(results[2]).toContain(`The working directory remains ${ROOT}`)
    expect(results[3]).toBe(ROOT)
    expect(moves(booted)).toEqual([])
  })

  it("is reset to the session's own after a call that ended outside of it, and the model gets a note", async () => {
    const { booted } = withFolders()
    const outside = `The shell is back in ${ROOT}: it can't stay in /tmp, which is outside the working directory.`
    const results = await run(booted, bash("cd sub"), bash("cd /tmp && pwd"), bash("pwd"), bash("ln -s / up; cd up"))
    expect(results.slice(1)).toEqual([`/tmp\n${outside}`, ROOT, expect.stringContaining("can't stay in /,")])
    expect(moves(booted)).toEqual([`${ROOT}/sub`, ROOT])
    const [, left] = payloadsOf(eventsOf(booted.log), "sdk:user").flatMap(({ tool_use_result: result }) => result ?? [])
    expect(left).toMatchObject({ stdout: "/tmp", stderr: outside })
  })

  it("is not changed by a script that only prints another one", async () => {
    const { booted } = withFolders()
    const results = await run(booted, bash("PWD=/tmp"), bash("PWD=nowhere"), bash("PWD=/workspace/a.txt"), bash("pwd"))
    expect(results[3]).toBe(ROOT)
    expect(moves(booted)).toEqual([])
  })

  it("may be a directory that was added to the session", async () => {
    const { booted } = withFolders({ ...BYPASS, additionalDirectories: ["/extra"] })
    booted.workspace.mkdir("/extra/inner", { recursive: true })
    expect(await run(booted, bash("cd /extra/inner"), bash("pwd"))).toEqual([
      "(The command printed no output.)",
      "/extra/inner",
    ])
  })

  it("is reset to the session's own when it no longer belongs to the session", async () => {
    const { booted } = withFolders({ permissionMode: "default", permission_prompts: "deny" })
    booted.workspace.writeBytes("/extra/hidden", "x")
    const extra: SessionOptions = { additionalDirectories: ["/extra"] }
    for (const command of ["ls", "tree", "echo *", "du", "find", "grep -rl x"]) {
      prompt(booted.session, promptFor(scripted([{ content: [call("Bash", { command: "cd /extra" })] }, DONE])), extra)
      await booted.idle()
      const [result] = await run(booted, bash(command))
      expect(result).not.toContain("hidden")
      expect(result).toContain("The shell is in its first directory again: /extra can't be used any more.")
    }
  })

  it("is reset to the session's own when it is gone, however it was removed, and the model gets one note", async () => {
    const { booted } = withFolders()
    const gone = `${ROOT}/sub no longer exists.`
    // Written as a plain command, the removal would ask.
    const [removed] = await run(booted, bash('cd sub; eval "rm -r ../sub"'))
    expect(removed).toBe(`The shell is back in ${ROOT}: ${gone}`)
    booted.workspace.mkdir(`${ROOT}/sub`)
    await run(booted, bash("cd sub"))
    booted.workspace.remove(`${ROOT}/sub`)
    expect(booted.session.cwd).toBe(ROOT)
    const [read, first, again] = await run(booted, ["Read", { file_path: "a.txt" }], bash("pwd"), bash("pwd"))
    expect(read).toContain("outer")
    expect(first).toBe(`${ROOT}\nThe shell is in its first directory again: ${ROOT}/sub can't be used any more.`)
    expect(again).toBe(ROOT)
  })

  it("changes between the calls of one answer, in their order", async () => {
    const uses = ["mkdir sub", "cd sub", "pwd", "cd ..", "pwd"].map((command) => call("Bash", { command }))
    const { events } = await finish([{ content: uses }, DONE])
    const results = toolResultsOf(events()).map(({ content }) => content)
    expect([results[2], results[4]]).toEqual([`${ROOT}/sub`, ROOT])
  })
})

describe("the directory of the conversation", () => {
  it("is the base of the other tools' paths, and known files follow", async () => {
    const { booted } = withFolders()
    const results = await run(
      booted,
      bash("cd sub"),
      ["Read", { file_path: "a.txt" }],
      ["Edit", { file_path: "a.txt", old_string: "inner", new_string: "edited" }],
      ["Glob", { pattern: "*.txt" }],
      ["Write", { file_path: "new.txt", content: "x" }],
      ["Read", { file_path: "nothing" }],
    )
    expect(results[1]).toContain("inner")
    expect(results[3]).toBe("a.txt")
    expect(results[5]).toContain(`${ROOT}/sub/nothing`)
    expect(booted.workspace.readText(`${ROOT}/sub/a.txt`)).toBe("edited\n")
    expect(booted.workspace.readText(`${ROOT}/sub/new.txt`)).toBe("x")
    expect(booted.workspace.readText(`${ROOT}/a.txt`)).toBe("outer\n")
  })

  it("is what hooks receive from the end of the call on", async () => {
    const opened = await connected({ PreToolUse: () => ({}), PostToolUse: () => ({}), Stop: () => ({}) })
    opened.workspace.mkdir(`${ROOT}/sub`)
    await run(opened, bash("cd sub"), bash("pwd"))
    const directories = payloadsOf(eventsOf(opened.log), "hook:fired").flatMap(({ input }) => {
      const { hook_event_name: name, cwd } = input as Record<string, string>
      return name === "PostToolBatch" || name?.startsWith("Session") === true ? [] : [[name, cwd]]
    })
    expect(directories).toEqual([
      ["UserPromptSubmit", ROOT],
      ["PreToolUse", ROOT],
      ["PostToolUse", `${ROOT}/sub`],
      ["PreToolUse", `${ROOT}/sub`],
      ["PostToolUse", `${ROOT}/sub`],
      ["Stop", `${ROOT}/sub`],
    ])
  })

  it("narrows no permission: rules and modes apply to the session's own directory", async () => {
    const { booted } = withFolders({
      permissionMode: "acceptEdits",
      permission_prompts: "deny",
      disallowedTools: ["Edit(/secret/**)", "Edit(//workspace/sub/~/**)"],
    })
    const results = await run(
      booted,
      bash("cd sub"),
      ["Write", { file_path: "../above.txt", content: "x" }],
      bash("touch ../touched; echo x > ~/home.txt"),
      ["Write", { file_path: "../secret/x", content: "x" }],
      bash("mkdir -p ../secret"),
      bash("echo x > ../secret/y"),
      bash("touch ../../outside"),
    )
    const { workspace } = booted
    const there = ["above.txt", "touched", "home.txt", "secret/x", "secret/y"]
    expect(there.map((name) => workspace.exists(`${ROOT}/${name}`))).toEqual([true, true, true, false, false])
    expect(workspace.exists("/outside")).toBe(false)
    expect(results[3]).toMatch(/denied|permission/i)
  })

  it("is restored with a conversation that continues from an earlier message", async () => {
    const { booted } = withFolders()
    await run(booted, bash("cd sub"))
    const at = lastMessage(booted)
    await run(booted, bash("cd deep"))
    expect(booted.session.resumption.resume({ options: BYPASS, at })).toBeUndefined()
    expect(await run(booted, bash("pwd"))).toEqual([`${ROOT}/sub`])
  })

  it("does not apply to calls that a client makes itself", async () => {
    const { booted } = withFolders()
    await run(booted, bash("cd sub"))
    expect(await booted.directCalls.call("Bash", { command: "pwd; cd sub/deep; touch made" })).toMatchObject({
      output: { stdout: ROOT },
    })
    expect(booted.workspace.exists(`${ROOT}/sub/deep/made`)).toBe(true)
    expect(await booted.directCalls.call("Bash", { command: "pwd" })).toMatchObject({ output: { stdout: ROOT } })
    expect(await run(booted, bash("pwd"))).toEqual([`${ROOT}/sub`])
  })
})
