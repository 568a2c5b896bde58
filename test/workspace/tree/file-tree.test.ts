// One contract for the workspace and for a shell's overlay of it: both are file trees.
import { describe, expect, it } from "vitest"
import { FileTree } from "../../../src/workspace/tree/file-tree.ts"
import { MemoryStore } from "../../../src/workspace/tree/memory-store.ts"
import type { WorkspaceOptions } from "../../../src/workspace/workspace.ts"
import { DEFAULT_QUOTAS, type Workspace } from "../../../src/workspace/workspace.ts"
import { openWorkspace } from "../sql-twin.ts"

const trees: ReadonlyArray<readonly [string, (options?: WorkspaceOptions) => Workspace | FileTree]> = [
  ["workspace", (options) => openWorkspace(options).workspace],
  [
    "memory",
    (options) => {
      const { workspace } = openWorkspace()
      const quotas = () => ({ ...DEFAULT_QUOTAS, ...options?.quotas?.() })
      return new FileTree(new MemoryStore(workspace.nodes), () => 1, quotas, ["/workspace"])
    },
  ],
]

const code = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    expect(error).toMatchObject({ name: "WorkspaceError" })
    return Reflect.get(error as object, "code") as string
  }
  return "none"
}

describe.each(trees)("a file tree in %s", (_, open) => {
  it("reads back what was written, at the normalised path", () => {
    const tree = open()
    tree.writeBytes("/a/./b//../c.txt", "héllo")
    expect(tree.readText("/a/c.txt")).toBe("héllo")
    expect(tree.stat("/a/c.txt")).toMatchObject({ type: "file", size: 6, mode: 0o644 })
    expect(tree.stat("/a")).toMatchObject({ type: "directory" })
    tree.writeBytes("/a/c.txt", "")
    expect(tree.readBytes("/a/c.txt")).toHaveLength(0)
  })

  it("names what is wrong as Node does", () => {
    const tree = open()
    tree.writeBytes("/f", "x")
    tree.mkdir("/d")
    expect(code(() => tree.readBytes("/none"))).toBe("ENOENT")
    expect(code(() => tree.readBytes("/d"))).toBe("EISDIR")
    expect(code(() => tree.writeBytes("/d", "x"))).toBe("EISDIR")
    expect(code(() => tree.writeBytes("/f/x", "x"))).toBe("ENOTDIR")
    expect(code(() => tree.writeBytes("/f/x/y/z", "x"))).toBe("ENOTDIR")
    expect(code(() => tree.readBytes("/f/x"))).toBe("ENOTDIR")
    expect(code(() => tree.readdir("/f"))).toBe("ENOTDIR")
    expect(code(() => tree.mkdir("/f"))).toBe("EEXIST")
    expect(code(() => tree.mkdir("/d"))).toBe("EEXIST")
    expect(code(() => tree.mkdir("/no/such"))).toBe("ENOENT")
    expect(code(() => tree.mkdir("/f/x", { recursive: true }))).toBe("ENOTDIR")
    expect(code(() => tree.mkdir("/d", { recursive: true }))).toBe("none")
    expect(code(() => tree.readlink("/f"))).toBe("EINVAL")
    expect(code(() => tree.chmod("/none", 0o777))).toBe("ENOENT")
    expect(code(() => tree.readBytes("/a\0b"))).toBe("EINVAL")
    expect(code(() => tree.writeBytes(`/${"é".repeat(128)}`, ""))).toBe("ENAMETOOLONG")
    expect(code(() => tree.writeBytes(`/${"é".repeat(127)}`, ""))).toBe("none")
    expect(code(() => tree.writeBytes("/ab".repeat(1366), ""))).toBe("ENAMETOOLONG")
    expect(() => tree.readBytes("/none")).toThrow("ENOENT: no such file or directory, open '/none'")
  })

  it("lists the names in a directory, implicit directories included", () => {
    const tree = open()
    for (const path of ["/w/a.txt", "/w/a/x", "/w/a/y/z", "/w/a0", "/w/b/c/d", "/w.txt"]) tree.writeBytes(path, "1")
    tree.mkdir("/w/empty")
    tree.mkdir("/w/b/c", { recursive: true })
    expect(tree.readdir("/w").map(({ name, type }) => `${name}:${type}`)).toEqual([
      "a:directory",
      "a.txt:file",
      "a0:file",
      "b:directory",
      "empty:directory",
    ])
    expect(tree.readdir("/").map(({ name }) => name)).toEqual(expect.arrayContaining(["w", "w.txt", "workspace"]))
    expect(tree.readdir("/workspace")).toEqual([])
  })

  it("lists a directory of many files and a large subtree", () => {
    const tree = open()
    for (let index = 0; index < 700; index += 1) tree.writeBytes(`/big/sub/${index}`, "x")
    for (let index = 0; index < 600; index += 1) tree.writeBytes(`/big/z${index}`, "x")
    expect(tree.readdir("/big")).toHaveLength(601)
    expect(tree.readdir("/big/sub")).toHaveLength(700)
  })

  it("keeps a directory when the last thing in it goes", () => {
    const tree = open()
    tree.writeBytes("/d/e/f", "x")
    tree.remove("/d/e/f")
    expect(tree.readdir("/d/e")).toEqual([])
    expect(code(() => tree.remove("/d"))).toBe("ENOTEMPTY")
    tree.remove("/d/e")
    expect(tree.readdir("/d")).toEqual([])
    tree.remove("/d")
    expect(tree.exists("/d")).toBe(false)
    expect(code(() => tree.remove("/d"))).toBe("ENOENT")
    tree.remove("/d", { force: true })
  })

  it("removes a directory with all below it and nothing else", () => {
    const tree = open()
    for (const path of ["/d/a", "/d/b/c", "/d0", "/d.x", "/workspace/w"]) tree.writeBytes(path, "x")
    tree.remove("/d", { recursive: true })
    expect([tree.exists("/d"), tree.exists("/d/b/c"), tree.exists("/d0"), tree.exists("/d.x")]).toEqual([
      false,
      false,
      true,
      true,
    ])
    tree.remove("/workspace", { recursive: true })
    expect(tree.readdir("/workspace")).toEqual([])
  })

  it("renames files and directories", () => {
    const tree = open()
    tree.writeBytes("/a/f", "1")
    tree.writeBytes("/a/g/h", "2")
    tree.rename("/a", "/b")
    expect([tree.exists("/a"), tree.readText("/b/f"), tree.readText("/b/g/h")]).toEqual([false, "1", "2"])
    tree.rename("/b/f", "/b/g/h")
    expect(tree.readText("/b/g/h")).toBe("1")
    tree.mkdir("/empty")
    tree.rename("/b/g", "/empty")
    expect(tree.readText("/empty/h")).toBe("1")
    expect(tree.readdir("/b")).toEqual([])
    expect(code(() => tree.rename("/none", "/x"))).toBe("ENOENT")
    expect(code(() => tree.rename("/empty", "/empty/in"))).toBe("EINVAL")
    expect(code(() => tree.rename("/empty/h", "/no/such"))).toBe("ENOENT")
    expect(code(() => tree.rename("/empty/h", "/b"))).toBe("EISDIR")
    expect(code(() => tree.rename("/b", "/empty/h"))).toBe("ENOTDIR")
    expect(code(() => tree.rename("/b", "/empty"))).toBe("ENOTEMPTY")
    tree.rename("/empty/h", "/empty/h")
    expect(tree.readText("/empty/h")).toBe("1")
  })

  it("copies files and directories, which then live apart", () => {
    const tree = open()
    tree.writeBytes("/a/f", "1")
    tree.mkdir("/a/empty")
    tree.copy("/a/f", "/g")
    tree.copy("/a", "/b", { recursive: true })
    tree.writeBytes("/a/f", "2")
    expect([tree.readText("/g"), tree.readText("/b/f"), tree.stat("/b/empty").type]).toEqual(["1", "1", "directory"])
    expect(code(() => tree.copy("/a", "/c"))).toBe("EISDIR")
    expect(code(() => tree.copy("/a", "/a/x", { recursive: true }))).toBe("EINVAL")
    expect(code(() => tree.copy("/a/f", "/b"))).toBe("EISDIR")
    expect(code(() => tree.copy("/none", "/b"))).toBe("ENOENT")
  })

  it("follows symbolic links and stops at a loop", () => {
    const tree = open()
    tree.writeBytes("/real/f", "1")
    tree.symlink("real", "/dir")
    tree.symlink("../real/f", "/real/self")
    tree.symlink("/dir/f", "/abs")
    expect([tree.readText("/dir/f"), tree.readText("/real/self"), tree.readText("/abs")]).toEqual(["1", "1", "1"])
    expect(tree.realpath("/dir/self")).toBe("/real/f")
    expect(tree.readlink("/dir")).toBe("real")
    expect([tree.lstat("/dir").type, tree.stat("/dir").type]).toEqual(["symlink", "directory"])
    tree.writeBytes("/abs", "2")
    expect(tree.readText("/real/f")).toBe("2")
    tree.writeBytes("/dir/new", "3")
    expect(tree.readText("/real/new")).toBe("3")
    tree.symlink("/gone", "/dangling")
    expect(tree.exists("/dangling")).toBe(false)
    tree.writeBytes("/dangling", "4")
    expect(tree.readText("/gone")).toBe("4")
    tree.symlink("/loop2", "/loop1")
    tree.symlink("/loop1", "/loop2")
    expect(code(() => tree.readBytes("/loop1"))).toBe("ELOOP")
    expect(tree.exists("/loop1/x")).toBe(false)
    tree.remove("/dir")
    expect(tree.exists("/real/f")).toBe(true)
    expect(code(() => tree.symlink("x", "/real/f"))).toBe("EEXIST")
  })

  it("changes modes and times", () => {
    const tree = open()
    tree.writeBytes("/f", "1")
    tree.chmod("/f", 0o100755)
    tree.utimes("/f", 1234)
    expect(tree.stat("/f")).toEqual({ type: "file", mode: 0o755, mtime: 1234, size: 1 })
    tree.writeBytes("/f", "2")
    expect(tree.stat("/f").mode).toBe(0o755)
  })

  it("refuses names that are too long, hold a NUL or half a character, wherever a path is taken", () => {
    const tree = open()
    tree.writeBytes("/f", "x")
    const long = `/${"n".repeat(256)}`
    const uses: ReadonlyArray<(path: string) => unknown> = [
      (path) => tree.writeBytes(path, ""),
      (path) => tree.readBytes(path),
      (path) => tree.stat(path),
      (path) => tree.lstat(path),
      (path) => tree.mkdir(path, { recursive: true }),
      (path) => tree.readdir(path),
      (path) => tree.remove(path, { force: true }),
      (path) => tree.rename("/f", path),
      (path) => tree.copy("/f", path),
      (path) => tree.symlink("/f", path),
      (path) => tree.readlink(path),
      (path) => tree.chmod(path, 0o600),
      (path) => tree.utimes(path, 1),
    ]
    for (const use of uses) {
      expect(code(() => use(long))).toBe("ENAMETOOLONG")
      expect(code(() => use("/a/".repeat(2000)))).toBe("ENAMETOOLONG")
      for (const name of ["/f\0", "/a\0b/c", "/\ud800", "/\udc00x"]) expect(code(() => use(name))).toBe("EINVAL")
    }
    expect([tree.exists(long), tree.exists("/f\0")]).toEqual([false, false])
    expect(tree.readText("/f")).toBe("x")
  })

  it("lists names in the order of their characters", () => {
    const tree = open()
    for (const name of ["b", "a.txt", "a", "B", "é", "10", "9", "a-b", ".dot"]) tree.writeBytes(`/dir/${name}`, "")
    expect(tree.readdir("/dir").map((entry) => entry.name)).toEqual([
      ".dot",
      "10",
      "9",
      "B",
      "a",
      "a-b",
      "a.txt",
      "b",
      "é",
    ])
  })

  it("never leads out of its root, by dots or by links", () => {
    const tree = open()
    tree.writeBytes("/etc/passwd", "ours")
    expect(tree.readText("/../../etc/passwd")).toBe("ours")
    tree.symlink("../../../../etc", "/workspace/out")
    expect(tree.realpath("/workspace/out/passwd")).toBe("/etc/passwd")
    tree.symlink("self", "/workspace/self")
    for (const use of [() => tree.stat("/workspace/self"), () => tree.writeBytes("/workspace/self", "x")])
      expect(code(use)).toBe("ELOOP")
    expect(tree.lstat("/workspace/self").type).toBe("symlink")
  })

  it("keeps its quotas", () => {
    const tree = open({ quotas: () => ({ maxFiles: 3, maxBytes: 10, maxFileBytes: 8 }) })
    expect(code(() => tree.writeBytes("/a", "x".repeat(9)))).toBe("EFBIG")
    tree.writeBytes("/a", "x".repeat(8))
    expect(code(() => tree.writeBytes("/b", "xxx"))).toBe("EDQUOT")
    tree.writeBytes("/a", "x")
    tree.writeBytes("/b", "xxx")
    tree.mkdir("/c")
    expect(code(() => tree.writeBytes("/d", ""))).toBe("EDQUOT")
    expect(code(() => tree.mkdir("/d"))).toBe("EDQUOT")
    expect(code(() => tree.symlink("/a", "/d"))).toBe("EDQUOT")
    expect(code(() => tree.copy("/a", "/d"))).toBe("EDQUOT")
    tree.remove("/b")
    tree.writeBytes("/d", "xxxxxxxx")
  })
})
