import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { holdTimers } from "../../support/values/held-timers.ts"
import { fails, openContext, run, runAndCommit } from "../tool-context.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

/** A time limit that no other timer has: it is over when a test fires it. */
const LIMIT_MS = 1_001

const bash = (command: string, context: ReturnType<typeof openContext>["context"], more: object = {}) =>
  runAndCommit(bashTool, { command, ...more }, context)

describe("Bash", () => {
  it("returns both outputs as one, without the final newline, and is_error false", async () => {
    const { context } = openContext()
    const outcome = await bash("echo out; echo err >&2", context)
    expect(outcome.content).toBe("out\nerr")
    expect(outcome.isError).toBe(false)
    expect(outcome.output).toEqual({
      stdout: "out\nerr",
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    })
    expect(outcome.commit).toBeUndefined()
  })

  it("runs an empty command, which prints nothing", async () => {
    const outcome = await bash("", openContext().context)
    expect(outcome).toMatchObject({ content: "(The command printed no output.)", isError: false })
  })

  it("has the variables of the official SDK's shell, which the session's variables override", async () => {
    const { context } = openContext()
    const command = 'echo "$SHELL $SHLVL $TERM $LANG $CLAUDECODE $USER [$OLDPWD]"'
    expect((await bash(command, context)).content).toBe("/bin/bash 1 dumb C.UTF-8 1 user []")
    const shellEnv = { TERM: "xterm", LANG: "C" }
    expect((await bash(command, { ...context, shellEnv })).content).toBe("/bin/bash 1 xterm C 1 user []")
  })

  it("has no previous directory before the first cd", async () => {
    const { context } = openContext()
    expect((await bash("cd -; mkdir d; cd d; cd -; echo $OLDPWD", context)).content).toBe(
      "bash: cd: OLDPWD not set\n/workspace\n/workspace/d",
    )
    expect((await bash("cd - 2>/dev/null || echo none", context)).content).toBe("none")
  })

  it("reports missing output, except for commands such as touch that have none", async () => {
    const { context } = openContext()
    const outcome = await bash("touch a", context)
    expect(outcome.content).toBe("(The command printed no output.)")
    expect(outcome.output).toMatchObject({ stdout: "", noOutputExpected: true })
  })

  it("returns a failed command as an error with its exit code, and keeps its output", async () => {
    const { context, workspace } = openContext()
    const outcome = await bash("echo x > f; echo out; echo err >&2; exit 3", context)
    expect(outcome.content).toBe("Exit code 3\nout\nerr")
    expect(outcome.isError).toBe(true)
    expect(outcome.output).toBe("Error: Exit code 3\nout\nerr")
    expect(workspace.readText("/workspace/f")).toBe("x\n")
  })

  it("changes nothing before the commit", async () => {
    const { context, workspace, twin } = openContext()
    workspace.writeBytes("/workspace/a", "1")
    const rows = twin.rowsWritten()
    const outcome = await run(bashTool, { command: "echo 2 > a; echo 3 > b; mkdir c; rm -f a" }, context)
    expect(twin.rowsWritten()).toBe(rows)
    expect(workspace.readText("/workspace/a")).toBe("1")
    outcome.commit?.([])
    expect(workspace.readdir("/workspace")).toEqual([
      { name: "b", type: "file" },
      { name: "c", type: "directory" },
    ])
  })

  it("creates files whose names contain control characters", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a", "1")
    for (const way of [
      "echo x > $'1\\nb'",
      "touch $'2\\nb'",
      "mkdir $'3\\tb'",
      "cp a $'4\\nb'",
      "ln -s a $'5\\nb'",
      "mv a $'\\x1bb'",
    ]) {
      expect((await bash(way, context)).content, way).toBe("(The command printed no output.)")
    }
    const names = workspace.readdir("/workspace").map(({ name }) => name)
    expect(names.toSorted()).toEqual(["\u001bb", "1\nb", "2\nb", "3\tb", "4\nb", "5\nb"])
  })

  it("works on the files of the workspace with pipes, loops and the usual commands", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/src/a.txt", "alpha\nbeta\n")
    const outcome = await bash(
      "for i in 1 2 3; do echo line$i >> log; done; wc -l < log | tr -d ' '; sed -i 's/beta/gamma/' src/a.txt; cat src/*.txt; grep -rn gamma .; cp -r src copy; mv copy/a.txt b; ls; find . -type f | sort",
      context,
    )
    expect(outcome.content).toContain("gamma")
    expect(workspace.readText("/workspace/b")).toBe("alpha\ngamma\n")
    expect(workspace.readText("/workspace/log")).toBe("line1\nline2\nline3\n")
  })

  it("preserves bytes through gzip and base64", async () => {
    const { context, workspace } = openContext()
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256)
    workspace.writeBytes("/workspace/raw", bytes)
    const outcome = await bash(
      "gzip -k raw && gunzip -c raw.gz > back && base64 raw | base64 -d > again && cmp raw back; ls",
      context,
    )
    expect([outcome.content, Array.from(workspace.readBytes("/workspace/back"))]).toEqual([
      expect.any(String),
      Array.from(bytes),
    ])
    expect(Array.from(workspace.readBytes("/workspace/again"))).toEqual(Array.from(bytes))
  })

  it("has /dev/null and /tmp, and an empty working directory", async () => {
    const { context } = openContext({ directories: [] })
    const outcome = await bash(
      "pwd; echo gone > /dev/null; echo t > /tmp/t; cat /tmp/t; cat /dev/null; ls -a | head -1; cd /tmp && pwd",
      context,
    )
    expect(outcome).toMatchObject({ isError: false })
    expect(outcome.content).toContain("/workspace\nt\n")
    expect(outcome.content).toContain("\n/tmp\n")
  })

  it("creates the directories of a redirection, but not those of a command's arguments", async () => {
    const { context, workspace } = openContext()
    const outcome = await bash("echo x > made/here/f; touch no/such/f", context)
    expect(outcome.content).toMatch(/^Exit code 1\n.*touch.*no\/such\/f/s)
    expect(workspace.readText("/workspace/made/here/f")).toBe("x\n")
    expect(workspace.exists("/workspace/no")).toBe(false)
  })

  it.each([
    ["echo problem >&2; echo greetings", "problem\ngreetings"],
    ["echo one; echo two >&2; echo three; echo four >&2", "one\ntwo\nthree\nfour"],
    ["echo out\nfor i in 1 2; do echo err$i >&2; done\necho end", "out\nerr1\nerr2\nend"],
    ["printf a >&2; echo b", "ab"],
    ["rm none && echo a || echo b", "rm: cannot remove 'none': No such file or directory\nb"],
    ["echo ä; echo ö >&2; echo ü", "ä\nö\nü"],
    ["echo one; echo two >&2; echo three; exit 2", "Exit code 2\none\ntwo\nthree"],
    ["trap 'echo last' EXIT; echo first >&2", "first\nlast"],
  ])("%s shows both outputs in the order in which they came", async (command, content) => {
    const { context } = openContext()
    expect((await run(bashTool, { command }, context)).content).toBe(content)
  })

  it.each([
    ["grep zzz a.txt", "No matches found"],
    ["cat a.txt | grep zzz", "No matches found"],
    ["diff a.txt b.txt", "Files differ"],
    ["[ 1 = 2 ]", "Condition is false"],
  ])("%s answers with exit code 1 and has not failed", async (command, meaning) => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a.txt", "a\n")
    workspace.writeBytes("/workspace/b.txt", "b\n")
    const outcome = await run(bashTool, { command }, context)
    expect(outcome).toMatchObject({ isError: false, output: { returnCodeInterpretation: meaning } })
    expect((await run(bashTool, { command: "grep zzz none.txt" }, context)).isError).toBe(true)
  })

  it.each(["python3 -c 1", "git status", "curl http://x", "node -e 1", "npm i"])(
    "reports a missing program: %s",
    async (command) => {
      const { context } = openContext()
      const outcome = await bash(command, context)
      expect(outcome.content).toMatch(/^Exit code 127\n/)
      expect(outcome.content).toContain(`(${command.split(" ")[0]}: not available here.`)
    },
  )

  it("stops a command that takes too long, and keeps its earlier output", async () => {
    const { context, workspace } = openContext()
    const timers = holdTimers(LIMIT_MS)
    // The limit is over while the command waits for an answer.
    const fetch = () =>
      Effect.andThen(
        Effect.sync(() => timers.fire(LIMIT_MS)),
        Effect.never,
      )
    const command = "echo begun > f; curl -s http://example.com; echo never > g"
    const outcome = await bash(command, { ...context, shellNetwork: true, fetch }, { timeout: LIMIT_MS })
    expect(outcome.isError).toBe(true)
    expect(outcome.content).toBe("Exit code 143\nCommand timed out after 1s")
    expect(workspace.readText("/workspace/f")).toBe("begun\n")
    expect(workspace.exists("/workspace/g")).toBe(false)
  })

  it("stops at once when the turn is interrupted, and keeps nothing", async () => {
    const { context, abort, workspace } = openContext()
    const failed = fails(bashTool, { command: "echo x > f; sleep 30" }, context)
    setTimeout(() => abort.abort(), 20)
    expect(await failed).toMatchObject({ reason: "aborted" })
    expect(workspace.exists("/workspace/f")).toBe(false)
    expect(await fails(bashTool, { command: "echo x" }, context)).toMatchObject({ reason: "aborted" })
  })

  it("stops when its fiber is interrupted", async () => {
    const { context } = openContext()
    const controller = new AbortController()
    const running = Effect.runPromiseExit(bashTool.run({ command: "sleep 30" }, context), { signal: controller.signal })
    setTimeout(() => controller.abort(), 20)
    expect((await running)._tag).toBe("Failure")
  })

  it("yields while a loop of commands runs, so that it can be interrupted", async () => {
    const { context, abort } = openContext()
    const failed = fails(bashTool, { command: "while true; do seq 1 3000 | sort -rn > /dev/null; done" }, context)
    const spent = cpuTime()
    setTimeout(() => abort.abort(), 20)
    expect(await failed).toMatchObject({ reason: "aborted" })
    expect(spent()).toBeLessThan(4_000)
  })

  it("stops an endless loop by its number of steps", async () => {
    const { context } = openContext()
    const outcome = await bash("while true; do :; done", context)
    expect(outcome.content).toMatch(/^Exit code 126\n.*too much work/s)
  })

  it("really sleeps", async () => {
    const { context } = openContext()
    const started = performance.now()
    await bash("sleep 0.05", context)
    expect(performance.now() - started).toBeGreaterThan(45)
  })

  it("saves the complete long output to a file, as it was printed, and shows its start and its path", async () => {
    const { context, workspace } = openContext()
    const outcome = await bash("seq 1 20000", context)
    const path = "/workspace/.perch/tool-results/toolu_test.txt"
    expect(String(outcome.content).length).toBeLessThan(3_000)
    expect(outcome.content).toContain(`All of it is in: ${path}\n`)
    expect(outcome.output).toMatchObject({ persistedOutputPath: path, persistedOutputSize: 108_894 })
    expect(workspace.readText(path)).toBe(Array.from({ length: 20_000 }, (_, line) => `${line + 1}\n`).join(""))
  })

  it("sends clients the first 30,000 characters of a saved output, and nothing else", async () => {
    const { context } = openContext()
    const line = `${"x".repeat(9)}\n`
    const { output } = await bash("for i in $(seq 3001); do echo xxxxxxxxx; done", context)
    expect(output).toMatchObject({ stdout: line.repeat(3000).trimEnd() })
  })

  it("saves the long output of a command that fails", async () => {
    const { context, workspace } = openContext()
    const outcome = await bash("seq 1 20000; exit 4", context)
    expect(outcome.content).toMatch(/^Exit code 4\n<persisted-output>\n/)
    expect(workspace.readText("/workspace/.perch/tool-results/toolu_test.txt")).toMatch(/\n20000$/)
  })

  it("truncates long output if the workspace has no room for it", async () => {
    const { context } = openContext({ quotas: () => ({ maxFileBytes: 100 }) })
    const outcome = await bash("seq 1 20000", context)
    expect(outcome.content).toMatch(/\(Output cut here: \d+ more characters\.\)$/)
  })

  it("reports a syntax error", async () => {
    const { context } = openContext()
    expect((await bash("if then", context)).content).toMatch(/^Exit code 2\n.*syntax error/s)
  })

  it("rejects invalid input, and background runs if their end could not be reported", async () => {
    const { context } = openContext()
    expect(await fails(bashTool, { command: "ls", run_in_background: true }, context)).toMatchObject({
      reason: "command_failed",
      message: "Commands can't run in the background here.",
    })
    expect((await fails(bashTool, {}, context)).message).toContain("The required parameter `command` is missing")
    expect((await fails(bashTool, { command: "ls", timeout: "x" }, context)).message).toContain("`timeout`")
  })

  it("runs a call whose timeout is zero or less as one without a timeout", async () => {
    const { context } = openContext()
    for (const timeout of [0, -5]) expect((await bash("sleep 0.01; echo a", context, { timeout })).content).toBe("a")
  })

  it("stops at a redirection that exceeds the quotas, and keeps the earlier output", async () => {
    const { context, workspace } = openContext({ quotas: () => ({ maxFileBytes: 100 }) })
    const outcome = await bash("echo small > small; seq 1 1000 > big; echo never > never", context)
    expect(outcome.content).toMatch(
      /^Exit code 1\nbash: EFBIG: file is larger than 100 bytes, write '\/workspace\/big'/,
    )
    expect(workspace.readText("/workspace/small")).toBe("small\n")
    expect(workspace.exists("/workspace/never")).toBe(false)
  })
})
