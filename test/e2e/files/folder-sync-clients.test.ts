// The two programs that sync folders: the SDK's process with `upload` and `download`, and the command line.
import fs from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { query } from "@anthropic-ai/claude-agent-sdk"
import { EXIT, runCommand } from "../../../src/client/cli/cli.ts"
import type { SyncEvent } from "../../../src/client/files/session-folders.ts"
import { perch as door, type PerchOptions } from "../../../src/client/spawn.ts"
import { plant } from "../../support/values/folder.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { syncedFolders } from "./synced-folders.ts"

const { shared, perch, api, folder, opened } = syncedFolders()

describe("perch({ upload, download })", () => {
  const run = async (
    script: string,
    cwd: string,
    more: Partial<PerchOptions>,
    options: Readonly<Record<string, unknown>> = {},
  ) => {
    const permitted = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true } as const
    const opening = door({ url: shared.url, apiKey: shared.key, ...more })
    let seen: string | undefined
    const asked = query({
      prompt: promptFor(script),
      options: { env: { MY_VAR: "from the app", OTHER: "stays" }, cwd, ...permitted, ...options, ...opening },
    })
    for await (const message of asked) {
      if (message.type === "result") {
        // The state that the app sees at the moment of the result.
        seen = fs.existsSync(path.join(cwd, "made.txt")) ? fs.readFileSync(path.join(cwd, "made.txt"), "utf8") : ""
        return { session: message.session_id, seen, result: message }
      }
    }
    throw new Error("there is no result")
  }

  const scripted = async (command: string) => {
    const name = scriptName("folders")
    await api.set(name, [{ content: [call("Bash", { command })] }, textAnswer("Done.")])
    return name
  }

  it("uploads cwd and additionalDirectories before the prompt, and downloads changes before the result", async () => {
    const cwd = folder("cwd")
    const extra = folder("extra")
    plant(cwd, { "in.txt": "input", ".gitignore": "no.txt", "no.txt": "x", old: "x" })
    plant(extra, { "more.txt": "more" })
    const events: Array<SyncEvent> = []
    const options = {
      upload: true,
      download: true,
      env: ["MY_VAR", "NOT_SET"],
      onSync: (event: SyncEvent) => void events.push(event),
    }
    const script = await scripted(
      `cat in.txt ${extra}/more.txt > made.txt; echo " $MY_VAR [$OTHER]" >> made.txt; ls no.txt; rm old; echo back > ${extra}/back.txt`,
    )
    const { session, seen } = await run(script, cwd, options, { additionalDirectories: [extra] })
    expect(seen).toBe("inputmore from the app []\n")
    expect(fs.readdirSync(cwd).toSorted()).toEqual([".gitignore", "in.txt", "made.txt", "no.txt"])
    expect(fs.readFileSync(path.join(extra, "back.txt"), "utf8")).toBe("back\n")
    expect(events.map(({ direction, report }) => [direction, report.folder, report.written.length])).toEqual([
      ["upload", cwd, 3],
      ["upload", extra, 1],
      ["download", cwd, 1],
      ["download", extra, 1],
    ])
    const shown = await perch.json<{ options: unknown }>("GET", `/v1/sessions/${session}`)
    expect(shown.options).toMatchObject({ shell_env: { MY_VAR: "***" } })
    const log = JSON.stringify(await perch.events(session))
    expect(log).not.toContain('"MY_VAR":"from the app"')

    // After a resume, only later changes are transferred.
    events.length = 0
    fs.writeFileSync(path.join(cwd, "in.txt"), "second")
    const again = await run(await scripted("cat in.txt > made.txt"), cwd, options, { resume: session })
    expect(again.seen).toBe("second")
    expect(events.map(({ direction, report }) => [direction, report.written])).toEqual([
      ["upload", ["in.txt"]],
      ["download", ["made.txt"]],
    ])
  })

  it("that can't upload a folder runs nothing and reports why", async () => {
    const cwd = folder("no-folder")
    plant(cwd, { f1: "x" })
    const name = await scripted("true")
    const { result } = await run(name, path.join(cwd, "f1"), { upload: true })
    expect(result).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining("f1 is not a folder of this machine")],
    })
    expect(await api.requests(name)).toEqual([])
  })
})

describe("the command line", () => {
  const command = async (...args: ReadonlyArray<string>) => {
    const out: Array<string> = []
    const errors: Array<string> = []
    const env = { PERCH_URL: shared.url, PERCH_API_KEY: shared.key }
    const code = await runCommand({ args, env, out: (line) => out.push(line), error: (line) => errors.push(line) })
    return { code, out: out.join("\n"), errors: errors.join("\n") }
  }

  it("pushes, lists and pulls, and its exit code shows whether everything succeeded", async () => {
    const { id, shell } = await opened()
    const local = folder()
    plant(local, { "a.txt": "one", "b/c.txt": "two", "d.log": "x", ".gitignore": "*.log" })
    expect(await command("push", id, local, "--dry-run")).toMatchObject({
      code: EXIT.done,
      out: expect.stringMatching(/^would be sent: 3 \(11 bytes\).*a\.txt/s),
    })
    expect(await command("push", id, local)).toMatchObject({ code: EXIT.done, out: expect.stringMatching(/^sent: 3/) })
    expect((await command("ls", id)).out).toMatch(/-rw-r--r--\s+3 \S+ \/workspace\/a\.txt/)
    await shell("echo more >> a.txt")
    plant(local, { "out\nside": { link: "/etc" } })
    const partly = await command("push", id, local)
    expect([partly.code, partly.out]).toEqual([EXIT.partly, expect.stringContaining('"out\\nside": it is a link')])
    expect(await command("pull", id, local, "--json")).toMatchObject({ code: EXIT.done })
    expect(fs.readFileSync(path.join(local, "a.txt"), "utf8")).toBe("onemore\n")
  })

  it("lists an empty folder, and fails for a missing one", async () => {
    const { id, shell } = await opened()
    await shell("mkdir -p deep/empty")
    for (const place of [[], ["/"], ["/workspace"], ["/workspace/deep/empty/"]])
      expect(await command("ls", id, ...place)).toMatchObject({ code: EXIT.done, errors: "" })
    for (const place of ["/missing", "/workspace/deep/none/"])
      expect(await command("ls", id, place)).toMatchObject({
        code: EXIT.failed,
        out: "",
        errors: expect.stringContaining("no such file or directory"),
      })
  })

  it("pulls an empty folder, and fails for a missing one that was never synchronized", async () => {
    const { id, shell } = await opened()
    await shell("mkdir -p deep/empty")
    const local = folder()
    expect(await command("pull", id, folder())).toMatchObject({ code: EXIT.done })
    for (const dry of [[], ["--dry-run"]]) {
      const pull = (remote: string) => command("pull", id, local, "--remote", remote, ...dry)
      expect(await pull("/workspace/deep/empty/")).toMatchObject({ code: EXIT.done, errors: "" })
      expect(await pull("/workspace/missing")).toMatchObject({
        code: EXIT.failed,
        out: "",
        errors: expect.stringContaining("no such file or directory"),
      })
    }
    // A folder of which files were pulled, and that is removed, is a removal.
    await shell("echo one > deep/a.txt")
    const deep = ["pull", id, local, "--remote", "/workspace/deep"]
    expect(await command(...deep)).toMatchObject({ code: EXIT.done })
    await shell("rm -r deep")
    expect(await command(...deep)).toMatchObject({ code: EXIT.done })
    expect(fs.existsSync(path.join(local, "a.txt"))).toBe(false)
  })

  it("does not accept a file of the session as a folder, and names a missing folder", async () => {
    const { id } = await opened()
    const local = folder()
    plant(local, { "a.txt": "one" })
    expect(await command("push", id, local)).toMatchObject({ code: EXIT.done })
    const remote = ["--remote", "/workspace/a.txt"]
    for (const verb of ["push", "pull"])
      expect(await command(verb, id, local, ...remote)).toEqual({
        code: EXIT.usage,
        out: "",
        errors: "perch: remote must be a folder. /workspace/a.txt is a file of the session.",
      })
    const links = folder()
    plant(links, { "sub/a.txt": "two", link: { link: "sub" } })
    expect(await command("push", id, links, "--remote", "/links")).toMatchObject({ code: EXIT.done })
    expect(await command("pull", id, local, "--remote", "/links/link")).toMatchObject({
      code: EXIT.usage,
      errors: "perch: remote must be a folder. /links/link is a link of the session.",
    })
    const missing = path.join(local, "missing")
    expect(await command("push", id, missing)).toMatchObject({
      code: EXIT.failed,
      errors: `perch: There is no folder ${missing}.`,
    })
  })

  it.each([
    [[], EXIT.usage, "a command is missing"],
    [["send"], EXIT.usage, 'no command "send"'],
    [["push"], EXIT.usage, "the session's id is missing"],
    [["push", "x", ".", "y"], EXIT.usage, "too many arguments"],
    [["push", "x", "--nope"], EXIT.usage, "--nope"],
    [["ls", "00000000-0000-4000-8000-000000000000", "relative"], EXIT.usage, "must be absolute"],
    [["ls", "x", "/a/../b"], EXIT.usage, "must be absolute"],
    [["pull", "x", ".", "--remote", "relative"], EXIT.usage, "remote must be an absolute path"],
    [["push", "x", ".", "--remote", "/a/./b"], EXIT.usage, "remote must be an absolute path"],
    [["pull", "x", ".", "--include", "src"], EXIT.usage, "--include is not for pull"],
    [["ls", "x", "--force"], EXIT.usage, "--force is not for ls"],
    [["push", "x", ".", "--url", "ftp://x"], EXIT.usage, "http or https address"],
    [["pull", "00000000-0000-4000-8000-000000000000", "."], EXIT.failed, "00000000-0000-4000-8000-000000000000"],
    [["ls", "x", "/", "--api-key", "wrong"], EXIT.failed, "Is PERCH_API_KEY a key of this server?"],
    [["ls", "x", "/", "--url", "http://127.0.0.1:9"], EXIT.failed, "cannot be reached"],
  ])("%j is an error in a line", async (args, code, words) => {
    const ended = await command(...args)
    expect([ended.code, ended.out]).toEqual([code, ""])
    expect(ended.errors.split("\n")[0]).toContain(words)
  })

  it("has a help text", async () => {
    expect(await command("--help")).toMatchObject({
      code: EXIT.done,
      out: expect.stringContaining("perch push SESSION"),
    })
  })
})
