// Which paths are not uploaded: `.gitignore` files as git reads them, and patterns of the caller.
import { describe, expect, it } from "vitest"
import { IgnoreRules, type Selection } from "../../../src/client/files/ignore-rules.ts"

type Files = Readonly<Record<string, string>>

const rulesOf = (files: Files, selection: Selection = {}) => {
  const rules = new IgnoreRules(selection)
  for (const [base, text] of Object.entries(files)) rules.add(base, text)
  return rules
}

/** A path that ends with a slash is a folder. */
const ignored = (rules: IgnoreRules, path: string) => rules.ignoresWhole(path.replace(/\/$/, ""), path.endsWith("/"))

describe("a path", () => {
  it.each<readonly [string, Files, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["a name at any depth", { "": "x" }, ["x", "a/x", "x/y", "a/x/b"], ["xy", "X"]],
    ["a name of the root", { "": "/x" }, ["x", "x/y"], ["a/x"]],
    ["a folder", { "": "x/" }, ["x/", "x/a", "b/x/a"], ["x", "b/x"]],
    ["a path with a slash within", { "": "a/x" }, ["a/x"], ["b/a/x", "x"]],
    [
      "stars",
      { "": "*.log\na/**/z\n**/tmp\nb/**" },
      ["q.log", "d/q.log", "a/z", "a/b/c/z", "d/tmp", "b/c"],
      ["b/", "q.logs"],
    ],
    ["one more character", { "": "a?c\n[xy]z" }, ["abc", "xz"], ["ac", "a/c", "wz"]],
    ["taken back", { "": "*.log\n!keep.log" }, ["a.log"], ["keep.log", "d/keep.log"]],
    ["not taken back below an ignored folder", { "": "d/\n!d/keep" }, ["d/keep", "d/"], []],
    ["taken back, folder by folder", { "": "*\n!*/\n!*.ts" }, ["a.js", "d/a.js"], ["a.ts", "d/a.ts", "d/"]],
    ["the last rule wins", { "": "!a\na" }, ["a"], []],
    ["comments and blanks", { "": "# a\n\n   \n\\#b\na\\ \n" }, ["#b", "a "], ["a", "# a"]],
    ["a deeper file wins", { "": "*.log", "d/": "!*.log\nx" }, ["a.log", "d/x"], ["d/a.log", "x"]],
    ["a deeper file's root is its folder", { "d/": "/x" }, ["d/x"], ["x", "d/e/x"]],
    [
      "a deeper file takes a folder back",
      { "": "build/\n.env", "p/": "!build/" },
      ["build/", "p/build/.env"],
      ["p/build/", "p/build/a"],
    ],
    ["a deeper file can't undo the folder above", { "": "d/", "d/": "!x" }, ["d/x"], []],
    ["Windows line ends", { "": "a\r\nb\r\n" }, ["a", "b"], []],
    ["the case counts", { "": "README" }, ["README"], ["readme"]],
    ["two files", { "": "a", "d/": "b", "d/e/": "!b" }, ["a", "d/a", "d/b"], ["b", "d/e/b"]],
  ])("%s", (_, files, yes, no) => {
    const rules = rulesOf(files)
    expect(yes.filter((path) => !ignored(rules, path))).toEqual([])
    expect(no.filter((path) => ignored(rules, path))).toEqual([])
  })

  it("of a folder inside a repository follows the ignore files above it", () => {
    const rules = new IgnoreRules({})
    rules.add("", "/packages/app/dist\n*.log\nlocal", "packages/app/")
    rules.add("", "!debug.log", "app/")
    rules.add("", "!local")
    expect(["dist", "a.log", "d/a.log"].filter((path) => !ignored(rules, path))).toEqual([])
    expect(["d/dist", "debug.log", "local"].filter((path) => ignored(rules, path))).toEqual([])
  })

  it("follows the caller's patterns before any ignore file", () => {
    const rules = rulesOf({ "": "*.log" }, { ignore: ["secret", "!keep.log"], include: ["src", "*.md"] })
    expect(["a.log", "secret", "d/secret"].filter((path) => !ignored(rules, path))).toEqual([])
    expect(ignored(rules, "keep.log")).toBe(false)
    expect(["src/a", "src/d/b", "a.md", "d/a.md"].filter((path) => !rules.includes(path))).toEqual([])
    expect(["a.ts", "srcs/a"].filter((path) => rules.includes(path))).toEqual([])
  })
})
