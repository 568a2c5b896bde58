// Which paths of a session a folder can be synchronized with.
import { describe, expect, it } from "vitest"
import { isWorkspacePath } from "../../../src/client/files/sync.ts"

describe("a path of the workspace", () => {
  it.each(["/", "/workspace", "/a b/ü.d/...", "/.hidden"])("%j is valid", (path) => {
    expect(isWorkspacePath(path)).toBe(true)
  })

  it.each(["", "relative", "./a", "/a/", "//", "/a//b", "/a/./b", "/..", "/a/../b", "/a\0b"])("%j is not", (path) => {
    expect(isWorkspacePath(path)).toBe(false)
  })

  it("is validated in linear time", () => {
    expect(isWorkspacePath(`${"/a".repeat(100_000)}/..`)).toBe(false)
  })
})
