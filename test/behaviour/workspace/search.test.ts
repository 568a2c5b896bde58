import { describe, expect, it } from "vitest"
import { compileGlob, compileGlobs } from "../../../src/workspace/search/glob-pattern.ts"
import { globFiles } from "../../../src/workspace/search/glob.ts"
import { grepFiles, type GrepQuery } from "../../../src/workspace/search/grep.ts"
import type { Workspace } from "../../../src/workspace/workspace.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const query = (pattern: string, more: Partial<GrepQuery> = {}): GrepQuery => ({
  pattern,
  path: "/workspace",
  globs: [],
  ignoreCase: false,
  multiline: false,
  onlyMatching: false,
  before: 0,
  after: 0,
  ...more,
})

const shown = (workspace: Workspace, asked: GrepQuery): Array<string> =>
  grepFiles(workspace, asked, true).flatMap((file) =>
    file.lines.map((line) => `${file.path.slice(11)}${line.match ? ":" : "-"}${line.number}:${line.text}`),
  )

describe("compileGlob", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/b/a.ts", false],
    ["src/*.ts", "x/src/a.ts", false],
    ["/a.ts", "a.ts", true],
    ["/a.ts", "src/a.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "x/y/a.ts", true],
    ["src/**", "src/a/b", true],
    ["src/**/b", "src/b", true],
    ["src/**/b", "src/x/y/b", true],
    ["src/", "src/a/b", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["*.{ts,tsx}", "a.tsx", true],
    ["*.{ts,{js,jsx}}", "a.jsx", true],
    ["{a,b/c}.x", "b/c.x", true],
    ["[a-c].x", "b.x", true],
    ["[!a-c].x", "b.x", false],
    ["[!a-c].x", "d.x", true],
    ["[]].x", "].x", true],
    ["[-a].x", "-.x", true],
    ["[a\\-c].x", "-.x", true],
    ["[a\\-c].x", "b.x", false],
    ["[.^$&].x", "^.x", true],
    ["[[].x", "[.x", true],
    ["[a😀-😂].x", "😁.x", true],
    ["[!😀].x", "😀.x", false],
    ["?.x", "😀.x", true],
    ["[.x", "[.x", true],
    ["{a", "{a", true],
    ["a\\*b", "a*b", true],
    ["a\\*b", "axb", false],
    ["a.b", "axb", false],
    ["a+(b)|c", "a+(b)|c", true],
    ["*", ".hidden", true],
    ["**/.env", "x/.env", true],
    ["./a.ts", "a.ts", true],
    ["é*", "éa", true],
    ["", "a", false],
  ])("%s on %s is %s", (glob, path, matches) => expect(compileGlob(glob)(path)).toBe(matches))

  it("uses the last glob that matches", () => {
    expect(compileGlobs(["*.ts", "!*.test.ts"])("a.test.ts")).toBe(false)
    expect(compileGlobs(["*.ts", "!*.test.ts"])("a.ts")).toBe(true)
    expect(compileGlobs(["!*.md"])("a.ts")).toBe(true)
    expect(compileGlobs([])("a")).toBe(true)
  })

  it("stays linear on a pattern of many stars", () => {
    const spent = cpuTime()
    expect(compileGlob(`${"*a".repeat(50)}b`)("a".repeat(255))).toBe(false)
    expect(compileGlob(`${"**/".repeat(100)}b`)("a/".repeat(1000))).toBe(false)
    expect(spent()).toBeLessThan(2_000)
  })

  it("rejects a glob that is too long or has too many braces", () => {
    expect(() => compileGlob("a".repeat(1025))).toThrow("longer than 1024")
    expect(() => compileGlob("{a,b}".repeat(201))).toThrow("more than 200 braces")
  })
})

describe("globFiles", () => {
  it("returns the oldest first, equal times by path, and reports what is left out", () => {
    const { workspace, clock } = openWorkspace()
    for (const name of ["b.ts", "a.ts", "c.ts"]) workspace.writeBytes(`/workspace/${name}`, "x")
    clock.now += 1000
    workspace.writeBytes("/workspace/src/new.ts", "x")
    workspace.writeBytes("/workspace/x.md", "x")
    expect(globFiles(workspace, "**/*.ts", "/workspace", 3)).toEqual({
      paths: ["/workspace/a.ts", "/workspace/b.ts", "/workspace/c.ts"],
      total: 4,
      truncated: true,
    })
  })

  it("accepts an absolute pattern", () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/data/a/x.csv", "x")
    workspace.writeBytes("/data/x.csv", "x")
    expect(globFiles(workspace, "/data/*.csv", "/workspace", 10).paths).toEqual(["/data/a/x.csv", "/data/x.csv"])
    expect(globFiles(workspace, "/data/*/*.csv", "/workspace", 10).paths).toEqual(["/data/a/x.csv"])
    expect(globFiles(workspace, "/data/x.csv", "/workspace", 10).paths).toEqual(["/data/x.csv"])
    expect(globFiles(workspace, "/none/*", "/workspace", 10).paths).toEqual([])
  })
})

describe("grepFiles", () => {
  const filled = () => {
    const opened = openWorkspace()
    opened.workspace.writeBytes("/workspace/a.txt", "alpha\nbeta\ngamma\r\nALPHA\n\nalpha alpha\n")
    opened.workspace.writeBytes("/workspace/src/b.ts", "const alpha = 1")
    opened.workspace.writeBytes("/workspace/.env", "alpha=2\n")
    opened.workspace.writeBytes("/workspace/.git/config", "alpha\n")
    opened.workspace.writeBytes("/workspace/bin", Uint8Array.from([97, 108, 112, 104, 97, 0, 10]))
    return opened.workspace
  }

  it("finds lines in path order, including hidden files, without binary files and .git", () => {
    expect(shown(filled(), query("alpha"))).toEqual([
      ".env:1:alpha=2",
      "a.txt:1:alpha",
      "a.txt:6:alpha alpha",
      "src/b.ts:1:const alpha = 1",
    ])
  })

  it("ignores case, anchors per line and strips carriage returns", () => {
    const workspace = filled()
    expect(shown(workspace, query("^alpha$", { ignoreCase: true }))).toEqual(["a.txt:1:alpha", "a.txt:4:ALPHA"])
    expect(shown(workspace, query("gamma$"))).toEqual([])
    expect(shown(workspace, query("gamma\\s*$"))).toEqual(["a.txt:3:gamma"])
    expect(shown(workspace, query("^$"))).toEqual(["a.txt:5:"])
  })

  it("filters by glob, type and path", () => {
    const workspace = filled()
    expect(shown(workspace, query("alpha", { globs: ["*.ts"] }))).toEqual(["src/b.ts:1:const alpha = 1"])
    expect(shown(workspace, query("alpha", { globs: ["!*.ts", "!.env"] }))).toHaveLength(2)
    expect(shown(workspace, query("alpha", { type: "ts" }))).toEqual(["src/b.ts:1:const alpha = 1"])
    expect(shown(workspace, query("beta", { path: "/workspace/a.txt" }))).toEqual(["a.txt:2:beta"])
    expect(() => shown(workspace, query("x", { type: "constructor" }))).toThrow("unknown file type")
    expect(() => shown(workspace, query("x", { path: "/none" }))).toThrow("ENOENT")
  })

  it("shows context once, and marks which lines match", () => {
    expect(shown(filled(), query("beta|gamma", { before: 1, after: 1 }))).toEqual([
      "a.txt-1:alpha",
      "a.txt:2:beta",
      "a.txt:3:gamma",
      "a.txt-4:ALPHA",
    ])
  })

  it("returns only the matched parts on request", () => {
    const workspace = filled()
    expect(shown(workspace, query("al\\w", { onlyMatching: true, path: "/workspace/a.txt" }))).toEqual([
      "a.txt:1:alp",
      "a.txt:6:alp",
      "a.txt:6:alp",
    ])
    expect(shown(workspace, query("x*", { onlyMatching: true, path: "/workspace/a.txt" }))).toEqual([])
  })

  it("keeps a match within its line unless multiline is set", () => {
    const workspace = filled()
    expect(shown(workspace, query("alpha\\s+beta"))).toEqual([])
    expect(shown(workspace, query("alpha.beta", { multiline: true }))).toEqual(["a.txt:1:alpha", "a.txt:2:beta"])
    expect(shown(workspace, query("beta.*ALPHA", { multiline: true, onlyMatching: true }))).toEqual([
      "a.txt:2:beta\ngamma\r\nALPHA",
    ])
    expect(grepFiles(workspace, query("alpha", { multiline: true, path: "/workspace/a.txt" }), false)).toMatchObject([
      { matches: 2 },
    ])
  })

  it("leaves out lines and parts of more than 500 characters, as recorded", () => {
    const { workspace } = openWorkspace()
    const lines = [`alpha ${"z".repeat(700)}`, "short", "alpha".padEnd(500, "w"), "alpha".padEnd(501, "w"), "last"]
    workspace.writeBytes("/workspace/long", lines.join("\n"))
    expect(shown(workspace, query("alpha|short", { after: 1 }))).toEqual([
      "long:1:[A long matching line was left out]",
      "long:2:short",
      `long:3:${lines[2]}`,
      "long:4:[A long matching line was left out]",
      "long-5:last",
    ])
    expect(shown(workspace, query("short", { before: 1 }))).toEqual([
      "long-1:[A long context line was left out]",
      "long:2:short",
    ])
    expect(shown(workspace, query("alpha|z+", { onlyMatching: true })).slice(0, 2)).toEqual([
      "long:1:alpha",
      "long:1:[A long matching line was left out]",
    ])
    expect(shown(workspace, query("z+.short", { multiline: true, onlyMatching: true }))).toEqual([
      "long:1:[A long matching line was left out]\nshort",
    ])
  })

  it("stays linear on patterns that make a backtracking engine exponential", () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/workspace/evil", `${"a".repeat(50_000)}!\n`.repeat(3))
    workspace.writeBytes("/workspace/lines", `${"a\n".repeat(20_000)}`)
    const spent = cpuTime()
    expect(shown(workspace, query("(a+)+$"))).toHaveLength(20_000)
    expect(shown(workspace, query("(a|aa)+[^!a\n]"))).toEqual([])
    expect(shown(workspace, query("a([^x]*x)?y"))).toEqual([])
    expect(shown(workspace, query("a([^x]*x)?"))).toHaveLength(20_003)
    expect(spent()).toBeLessThan(8_000)
  })

  it("rejects unsupported patterns", () => {
    const { workspace } = openWorkspace()
    expect(() => shown(workspace, query("("))).toThrow("the pattern is not valid")
    expect(() => shown(workspace, query("(a)\\1"))).toThrow("the pattern is not valid")
    expect(() => shown(workspace, query("a".repeat(4097)))).toThrow("longer than 4096")
    expect(() => shown(workspace, query("(((a{1000}){1000}){1000})"))).toThrow("the pattern is not valid")
  })
})
