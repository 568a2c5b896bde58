// A folder of this machine and a session's workspace: pushed, changed by a turn, pulled; and what stays at home.
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { query } from "@anthropic-ai/claude-agent-sdk"
import { EXIT, runCommand } from "../../../src/client/cli/cli.ts"
import type { SyncEvent } from "../../../src/client/files/session-folders.ts"
import { type FolderSync, pull, push } from "../../../src/client/files/sync.ts"
import { perch as door, type PerchOptions } from "../../../src/client/spawn.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { plant, temporaryFolder, treeOf } from "../../support/values/folder.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const folders: Array<string> = []

const folder = (name?: string) => {
  const made = temporaryFolder(name)
  folders.push(made)
  return made
}

beforeAll(() => {
  process.env["PERCH_STATE_DIR"] = folder("state")
})

afterAll(() => {
  for (const made of folders) fs.rmSync(made, { recursive: true, force: true })
})

const opened = async (options: Readonly<Record<string, unknown>> = {}) => {
  const id = await perch.createSession({ permissionMode: "bypassPermissions", ...options })
  const sync = (local: string, more: Partial<FolderSync> = {}): FolderSync => ({
    url: shared.url,
    apiKey: shared.key,
    sessionId: id,
    folder: local,
    ...more,
  })
  const shell = async (command: string) => {
    const name = scriptName("sync")
    await api.set(name, [{ content: [call("Bash", { command })] }, { content: [text("Done.")] }])
    const messages = await perch.query(id, promptFor(name))
    expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success" })
  }
  return { id, sync, shell }
}

describe("a folder of 2,000 files", () => {
  it("is pushed, changed by a turn and pulled: the trees are equal, and only changes travel", async () => {
    const { id, sync, shell } = await opened()
    const local = folder()
    for (let n = 0; n < 2000; n += 1)
      plant(local, { [`src/d${n % 40}/f${n}.txt`]: `file ${n}\n${"x".repeat(n % 300)}` })
    plant(local, {
      "run.sh": { content: "#!/bin/sh\necho run\n", mode: 0o755 },
      "secret.txt": { content: "mine", mode: 0o600 },
      "binary.bin": randomBytes(100_000),
      "with space/and ünï – 日本語 😀.txt": "unicode",
      "percent%2Fname?#.txt": "awkward",
      "-dash": "dash",
      "new\nline\ttab\u0085.txt": "controls",
      "nothing.txt": "",
      empty: null,
      "empty/nested/deep": null,
      "link-to-file": { link: "src/d1/f1.txt" },
      "src/link-up": { link: "../run.sh" },
      "link-to-folder": { link: "src/d2" },
      dangling: { link: "not/there" },
    })
    const first = await push(sync(local))
    expect(first).toMatchObject({ leftOut: [], conflicts: [], removed: [], unchanged: 0 })
    // All files and links, and the one folder that nothing implies.
    expect(first.written).toHaveLength(2000 + 8 + 4 + 1)

    const again = await push(sync(local))
    expect(again).toMatchObject({ written: [], removed: [], bytes: 0, transferred: 0 })

    fs.writeFileSync(path.join(local, "src/d3/f3.txt"), "changed here\n")
    fs.chmodSync(path.join(local, "src/d4/f4.txt"), 0o755)
    fs.rmSync(path.join(local, "src/d5/f5.txt"))
    fs.renameSync(path.join(local, "src/d6"), path.join(local, "src/renamed"))
    const second = await push(sync(local))
    expect(second.written).toHaveLength(2 + 50)
    expect(second.removed).toHaveLength(1 + 50 + 1)
    expect(second.transferred).toBeLessThan(10_000)

    await shell(
      "echo from the turn > src/d7/f7.txt; rm -r src/d8; mkdir -p made/empty; echo new > made/new.txt; chmod +x made/new.txt; ln -s new.txt made/link; mv run.sh moved.sh; rm dangling",
    )
    const pulled = await pull(sync(local))
    expect(pulled).toMatchObject({ leftOut: [], conflicts: [] })
    expect(pulled.written.toSorted()).toEqual(
      ["made", "made/empty", "made/link", "made/new.txt", "moved.sh", "src/d7/f7.txt"].toSorted(),
    )
    const copy = folder("copy")
    await pull(sync(copy))
    expect(treeOf(copy)).toEqual(treeOf(local))
    expect(fs.readFileSync(path.join(local, "src/d7/f7.txt"), "utf8")).toBe("from the turn\n")
    expect(fs.existsSync(path.join(local, "src/d8"))).toBe(false)
    expect(fs.statSync(path.join(copy, "moved.sh")).mode & 0o777).toBe(0o755)
    expect(await perch.getFile(id, "/workspace/src/renamed/f6.txt")).toMatch(/^file 6\n/)

    expect(await pull(sync(local))).toMatchObject({ written: [], removed: [], bytes: 0, transferred: 0 })
  })
})

describe("a push that breaks off", () => {
  it("is completed by the next one, which sends only the rest; a turn meanwhile is not overwritten", async () => {
    const { id, sync, shell } = await opened()
    const local = folder()
    for (let n = 0; n < 1200; n += 1) plant(local, { [`f${n}`]: `content ${n}` })
    let archives = 0
    const dying: typeof fetch = async (input, init) => {
      if (init?.method === "PUT" && (archives += 1) > 1) throw new TypeError("connect ECONNREFUSED")
      return fetch(input, init)
    }
    await expect(push(sync(local, { fetch: dying, maxRetries: 1 }))).rejects.toThrow(
      "cannot be reached: connect ECONNREFUSED",
    )
    await shell("echo -n turn > f0")
    plant(local, { f0: "mine" })
    const rest = await push(sync(local))
    expect(rest).toMatchObject({ unchanged: 499, conflicts: ["f0"] })
    expect(rest.written).toHaveLength(700)
    expect(await perch.getFile(id, "/workspace/f0")).toBe("turn")
    const copy = folder("copy")
    await pull(sync(copy))
    expect(treeOf(copy)).toEqual({ ...treeOf(local), f0: `644 ${Buffer.from("turn").toString("base64")}` })
  })
})

describe("what stays at home", () => {
  it("is ignored as git does, too large, or a link that leads out: each is named", async () => {
    const { id, sync } = await opened({ workspace_limits: { file_bytes: 1000, files: 20 } })
    const local = folder()
    plant(local, {
      ".gitignore": "*.log\nnode_modules/\n/build/\n!keep.log\n",
      "app.ts": "app",
      "debug.log": "no",
      "keep.log": "yes",
      "node_modules/dep/index.js": "no",
      "build/out.js": "no",
      "src/build/in.js": "yes",
      "src/.gitignore": "!debug.log\n*.tmp\n",
      "src/debug.log": "yes",
      "src/x.tmp": "no",
      ".git/config": "no",
      "sub/.git/hooks/post-checkout": "no",
      "large.bin": "x".repeat(1001),
      outside: { link: "../elsewhere" },
      absolute: { link: "/etc/passwd" },
    })
    const report = await push(sync(local))
    expect(report.ignored).toEqual(["build/", "debug.log", "node_modules/", "src/x.tmp"])
    expect(report.leftOut).toEqual([
      { path: "absolute", why: expect.stringContaining("leads out of the folder: /etc/passwd") },
      { path: "outside", why: expect.stringContaining("leads out of the folder") },
      { path: "large.bin", why: "it has 1,001 bytes, and one file may have at most 1,000 bytes" },
    ])
    const listed = await perch.json<{ files: ReadonlyArray<{ path: string }> }>("GET", `/v1/sessions/${id}/files`)
    expect(listed.files.map(({ path: at }) => at)).toEqual(
      [".gitignore", "app.ts", "keep.log", "src/.gitignore", "src/build/in.js", "src/debug.log", "sub"].map(
        (at) => `/workspace/${at}`,
      ),
    )
    expect(await push(sync(local, { gitignore: false, ignore: ["node_modules", "!debug.log"] }))).toMatchObject({
      written: ["build/out.js", "debug.log", "src/x.tmp"],
      ignored: ["node_modules/"],
    })
  })

  it("is all of it when it does not fit: the error has the figures, and nothing is sent", async () => {
    const { id, sync } = await opened({ workspace_limits: { files: 5, bytes: 100 } })
    const local = folder()
    plant(local, Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`f${n}`, "x"])))
    await expect(push(sync(local))).rejects.toThrow("would hold 6 files, folders and links, and may hold 5")
    await expect(push(sync(local, { include: ["f1"] }))).resolves.toMatchObject({ written: ["f1"] })
    plant(local, { f1: "x".repeat(101) })
    await expect(push(sync(local, { include: ["f1"] }))).rejects.toThrow("come to 101 bytes, and may come to 100 bytes")
    expect(await perch.getFile(id, "/workspace/f1")).toBe("x")
  })
})

describe("what changed on both sides", () => {
  it("is left alone and named by a pull and by a push; force takes one side", async () => {
    const { id, sync, shell } = await opened()
    const local = folder()
    plant(local, { both: "1", here: "1", there: "1", "gone-there": "1", "gone-here": "1" })
    await push(sync(local))
    await shell(
      "echo -n turn > both; echo -n turn > there; rm gone-there; echo -n turn > gone-here; echo -n turn > new",
    )
    plant(local, { both: "mine", here: "mine", "gone-there": "mine", new: "mine" })
    fs.rmSync(path.join(local, "gone-here"))
    expect(await pull(sync(local))).toMatchObject({
      written: ["there"],
      removed: [],
      conflicts: ["both", "gone-here", "gone-there", "new"],
    })
    const contents = () =>
      Object.fromEntries(fs.readdirSync(local).map((name) => [name, fs.readFileSync(path.join(local, name), "utf8")]))
    expect(contents()).toEqual({ both: "mine", here: "mine", there: "turn", "gone-there": "mine", new: "mine" })
    expect(await push(sync(local))).toMatchObject({
      written: ["here"],
      conflicts: ["both", "gone-here", "gone-there", "new"],
    })
    expect(await perch.getFile(id, "/workspace/both")).toBe("turn")
    await pull(sync(local, { force: true }))
    expect(contents()).toEqual({ both: "turn", here: "mine", there: "turn", "gone-here": "turn", new: "turn" })
  })

  it("is everything that differs when nothing is known of a last time", async () => {
    const { sync } = await opened()
    const local = folder()
    plant(local, { same: "1", other: "1" })
    await push(sync(local))
    const copy = folder("copy")
    plant(copy, { same: "1", other: "mine" })
    expect(await pull(sync(copy))).toMatchObject({ written: [], conflicts: ["other"] })
    expect(treeOf(copy)["other"]).toContain(Buffer.from("mine").toString("base64"))
  })
})

describe("a pull", () => {
  it("writes nothing outside of the folder, through a link, or below .git", async () => {
    const { id, sync, shell } = await opened()
    const local = folder()
    const outside = folder("outside")
    plant(local, { "a.txt": "1" })
    await push(sync(local))
    fs.symlinkSync(outside, path.join(local, "door"))
    await perch.putFile(id, "/workspace/.git/hooks/post-checkout", "#!/bin/sh\n")
    await perch.putFile(id, "/workspace/sub/.GIT/config", "x")
    await perch.putFile(id, "/workspace/door/through.txt", "x")
    await shell("ln -s ../../../../etc out; ln -s /etc/passwd abs; ln -s a.txt in")
    const report = await pull(sync(local))
    expect(report.written.filter((at) => at.includes("git") || at.includes("GIT"))).toEqual([])
    expect(report.leftOut.map(({ path: at }) => at).toSorted()).toEqual(["abs", "out"])
    expect(report.conflicts).toEqual(["door"])
    expect(fs.readdirSync(outside)).toEqual([])
    expect(fs.existsSync(path.join(local, ".git"))).toBe(false)
    expect(fs.readlinkSync(path.join(local, "in"))).toBe("a.txt")
  })

  it("replaces a file by a folder and a folder by a file, as a push does", async () => {
    const { sync, shell } = await opened()
    const local = folder()
    plant(local, { swap: "file", "dir/one": "1", "dir/two": "2" })
    await push(sync(local))
    await shell("rm swap; mkdir swap; echo -n in > swap/in; rm -r dir; echo -n now > dir")
    expect(await pull(sync(local))).toMatchObject({ conflicts: [], leftOut: [] })
    expect(fs.readFileSync(path.join(local, "swap/in"), "utf8")).toBe("in")
    expect(fs.readFileSync(path.join(local, "dir"), "utf8")).toBe("now")
    fs.rmSync(path.join(local, "swap"), { recursive: true })
    fs.rmSync(path.join(local, "dir"))
    plant(local, { swap: "again", "dir/three": "3" })
    expect(await push(sync(local))).toMatchObject({ conflicts: [], leftOut: [] })
    const copy = folder("copy")
    await pull(sync(copy))
    expect(treeOf(copy)).toEqual(treeOf(local))
  })
})

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
        // What the app sees at once when it gets the result.
        seen = fs.existsSync(path.join(cwd, "made.txt")) ? fs.readFileSync(path.join(cwd, "made.txt"), "utf8") : ""
        return { session: message.session_id, seen, result: message }
      }
    }
    throw new Error("there is no result")
  }

  const scripted = async (command: string) => {
    const name = scriptName("folders")
    await api.set(name, [{ content: [call("Bash", { command })] }, { content: [text("Done.")] }])
    return name
  }

  it("sends cwd and additionalDirectories before the prompt, and brings changes back before the result", async () => {
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

    // Resumed later, only what changed since travels.
    events.length = 0
    fs.writeFileSync(path.join(cwd, "in.txt"), "second")
    const again = await run(await scripted("cat in.txt > made.txt"), cwd, options, { resume: session })
    expect(again.seen).toBe("second")
    expect(events.map(({ direction, report }) => [direction, report.written])).toEqual([
      ["upload", ["in.txt"]],
      ["download", ["made.txt"]],
    ])
  })

  it("that can't send a folder runs nothing and reports why", async () => {
    const cwd = folder("no-folder")
    plant(cwd, { f1: "x" })
    const name = await scripted("true")
    const { result } = await run(name, path.join(cwd, "f1"), { upload: true })
    expect(result).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining("f1 is no folder of this machine")],
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

  it("pushes, lists and pulls, and its exit code tells whether all of it was done", async () => {
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

  it.each([
    [[], EXIT.usage, "a command is missing"],
    [["send"], EXIT.usage, 'no command "send"'],
    [["push"], EXIT.usage, "the session's id is missing"],
    [["push", "x", ".", "y"], EXIT.usage, "too many arguments"],
    [["push", "x", "--nope"], EXIT.usage, "--nope"],
    [["ls", "00000000-0000-4000-8000-000000000000", "relative"], EXIT.usage, "must be absolute"],
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
