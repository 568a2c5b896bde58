// A local folder and a session's workspace: pushed, changed by a turn, pulled; and what is not uploaded.
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { pull, push } from "../../../src/client/files/sync.ts"
import { plant, treeOf } from "../../support/values/folder.ts"
import { syncedFolders } from "./synced-folders.ts"

const { perch, folder, opened } = syncedFolders()

/** More than an archive of a push and a page of the list have: 28 in each of 40 folders. */
const MANY = 1120

describe(`a folder of ${MANY} files`, () => {
  it("is pushed, changed by a turn and pulled: the trees are equal, and only changes are transferred", async () => {
    const { id, sync, shell } = await opened()
    const local = folder()
    for (let n = 0; n < MANY; n += 1)
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
    // All files and links, and the one folder that no file implies.
    expect(first.written).toHaveLength(MANY + 8 + 4 + 1)

    const again = await push(sync(local))
    expect(again).toMatchObject({ written: [], removed: [], bytes: 0, transferred: 0 })

    fs.writeFileSync(path.join(local, "src/d3/f3.txt"), "changed here\n")
    fs.chmodSync(path.join(local, "src/d4/f4.txt"), 0o755)
    fs.rmSync(path.join(local, "src/d5/f5.txt"))
    fs.renameSync(path.join(local, "src/d6"), path.join(local, "src/renamed"))
    const second = await push(sync(local))
    expect(second.written).toHaveLength(2 + 28)
    expect(second.removed).toHaveLength(1 + 28 + 1)
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

describe("a push that is interrupted", () => {
  it("is completed by the next one, which sends only the rest; a turn's changes meanwhile are not overwritten", async () => {
    const { id, sync, shell } = await opened()
    const local = folder()
    for (let n = 0; n < 600; n += 1) plant(local, { [`f${n}`]: `content ${n}` })
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
    expect(rest.written).toHaveLength(100)
    expect(await perch.getFile(id, "/workspace/f0")).toBe("turn")
    const copy = folder("copy")
    await pull(sync(copy))
    expect(treeOf(copy)).toEqual({ ...treeOf(local), f0: `644 ${Buffer.from("turn").toString("base64")}` })
  })
})

describe("what is not uploaded", () => {
  it("is ignored as by git, too large, or a link to the outside: each is reported", async () => {
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

  it("is everything if it does not fit: the error has the sizes, and nothing is sent", async () => {
    const { id, sync } = await opened({ workspace_limits: { files: 5, bytes: 100 } })
    const local = folder()
    plant(local, Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`f${n}`, "x"])))
    await expect(push(sync(local))).rejects.toThrow("it has 6 files, folders and links, and a session has at most 5")
    await expect(push(sync(local, { include: ["f1"] }))).resolves.toMatchObject({ written: ["f1"] })
    plant(local, { f1: "x".repeat(101) })
    const f1 = sync(local, { include: ["f1"] })
    await expect(push(f1)).rejects.toThrow("its files come to 101 bytes, and those of a session may come to 100 bytes")
    expect(await perch.getFile(id, "/workspace/f1")).toBe("x")
    // The other folder alone does not exceed the limits.
    const other = folder()
    plant(other, Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`g${n}`, "y".repeat(9)])))
    const narrowed = { remote: "/other", include: ["g1", "g2"] }
    await expect(push(sync(other, { remote: "/other" }))).rejects.toThrow(
      "files, folders and links, and the maximum is 5",
    )
    await perch.putFile(id, "/workspace/f1", "x".repeat(83))
    await expect(push(sync(other, narrowed))).rejects.toThrow("come to 101 bytes, and may come to 100 bytes")
  })
})

describe("what changed on both sides", () => {
  it("is left alone and reported by a pull and by a push; force takes one side", async () => {
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

  it("does not exist in a folder that was removed as a whole: it is downloaded again", async () => {
    const { sync } = await opened()
    const local = folder()
    plant(local, { "a.txt": "a", "b/c.txt": "c" })
    await push(sync(local))
    const copy = path.join(folder("copies"), "copy")
    await pull(sync(copy))
    fs.rmSync(path.join(copy, "a.txt"))
    expect(await pull(sync(copy))).toMatchObject({ written: [], removed: [] })
    fs.rmSync(copy, { recursive: true })
    expect((await pull(sync(copy, { dryRun: true }))).written).toEqual(["a.txt", "b", "b/c.txt"])
    await pull(sync(copy))
    expect(treeOf(copy)).toEqual(treeOf(local))
  })

  it("is everything that differs if no earlier sync is known", async () => {
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
  it("writes nothing outside the folder, through a link, or below .git", async () => {
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

  it("replaces a file with a folder and a folder with a file, as a push does", async () => {
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
