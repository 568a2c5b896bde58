import { expect, it } from "vitest"
import { resolvedInput, withResolvedPath } from "../../../src/tools/files/resolved-path.ts"

const at = { cwd: "/work/sub", root: "/work" }

it.each([
  ["a.txt", "/work/sub/a.txt"],
  ["./b/../a.txt", "/work/sub/a.txt"],
  ["../../../etc/x", "/etc/x"],
  ["/work//sub/./a.txt", "/work/sub/a.txt"],
  ["~/a.txt", "/work/a.txt"],
  ["~", "/work"],
  ["~user/a.txt", "/work/sub/~user/a.txt"],
  ["  a.txt ", "/work/sub/a.txt"],
  [" /work/a b.txt\n", "/work/a b.txt"],
  [" ", "/work/sub"],
  ["$HOME/a.txt", "/work/sub/$HOME/a.txt"],
  ["", "/work/sub"],
  ["a\0b ", "a\0b "],
])("the path %j is resolved to %j", (path, resolved) => {
  expect(withResolvedPath({ file_path: path, limit: 1 }, at)).toEqual({ file_path: resolved, limit: 1 })
})

it("only inputs of tools for one file are changed, and only if they have a path", () => {
  expect(resolvedInput("Write", { file_path: "a", content: "x" }, at)).toEqual({
    file_path: "/work/sub/a",
    content: "x",
  })
  for (const [tool, input] of [
    ["mcp__files__write", { file_path: "a" }],
    ["Grep", { pattern: "x", path: "a" }],
    ["Read", { file_path: 1 }],
    ["Read", null],
  ] as const)
    expect(resolvedInput(tool, input, at)).toBe(input)
})
