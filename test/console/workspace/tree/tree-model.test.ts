import { describe, expect, test } from "vitest"
import type { WorkspaceFile } from "../../../../src/client/api/session-files.ts"
import { foldersTo, moveOf, nameProblem, rowsOf, treeOf } from "../../../../src/console/workspace/tree/tree-model.ts"

const file = (path: string, size = 1, type: WorkspaceFile["type"] = "file"): WorkspaceFile => ({
  path,
  type,
  size,
  modified_at: "2026-01-31T12:00:00.000Z",
  mode: 0o644,
})

const FILES = [
  file("/workspace", 0, "directory"),
  file("/workspace/b.txt", 5),
  file("/workspace/a10.txt", 2),
  file("/workspace/a9.txt", 3),
  file("/workspace/src/main.ts", 7),
  file("/workspace/empty", 0, "directory"),
]

const rows = (...expanded: ReadonlyArray<string>) => rowsOf(treeOf(FILES), new Set(expanded))
const names = (list: ReturnType<typeof rows>) => list.map(({ name }) => name)

describe("the tree of the workspace", () => {
  test("shows only the top level until a folder is expanded", () => {
    expect(names(rows())).toEqual(["workspace"])
    expect(names(rows("/workspace"))).toEqual(["workspace", "empty", "src", "a9.txt", "a10.txt", "b.txt"])
  })

  test("creates folders that the list does not name, and adds up sizes", () => {
    const [workspace, , src, main] = rows("/workspace", "/workspace/src")
    expect(workspace).toMatchObject({ size: 17, level: 1, isExpanded: true, position: 1, siblings: 1 })
    expect(src).toMatchObject({
      path: "/workspace/src",
      type: "directory",
      size: 7,
      level: 2,
      position: 2,
      siblings: 5,
    })
    expect(main).toMatchObject({ path: "/workspace/src/main.ts", level: 3 })
  })

  test("moves with arrow keys according to the ARIA pattern", () => {
    const open = rows("/workspace")
    expect(moveOf(open, "/workspace", "ArrowRight")).toEqual({ active: "/workspace/empty" })
    expect(moveOf(open, "/workspace/src", "ArrowRight")).toEqual({ active: "/workspace/src", toggle: "/workspace/src" })
    expect(moveOf(open, "/workspace/b.txt", "ArrowLeft")).toEqual({ active: "/workspace" })
    expect(moveOf(open, "/workspace", "ArrowLeft")).toEqual({ active: "/workspace", toggle: "/workspace" })
    expect(moveOf(open, "/workspace/b.txt", "ArrowDown")).toEqual({ active: "/workspace/b.txt" })
    expect(moveOf(open, "/workspace/b.txt", "Home")).toEqual({ active: "/workspace" })
    expect(moveOf(open, null, "End")).toEqual({ active: "/workspace/b.txt" })
  })

  test("an expanded empty folder keeps the active row", () => {
    const open = rows("/workspace", "/workspace/empty")
    expect(moveOf(open, "/workspace/empty", "ArrowRight")).toEqual({ active: "/workspace/empty" })
  })

  test("a character selects the next name that starts with it", () => {
    const open = rows("/workspace")
    expect(moveOf(open, "/workspace/a9.txt", "A")).toEqual({ active: "/workspace/a10.txt" })
    expect(moveOf(open, "/workspace", "z")).toBeNull()
    expect(moveOf(open, "/workspace", "Tab")).toBeNull()
  })

  test("names the folders that lead to a path", () => {
    expect(foldersTo("/a/b/c")).toEqual(["/a", "/a/b", "/a/b/c"])
    expect(foldersTo("/")).toEqual([])
  })

  test("reports why a name can't be a file's", () => {
    expect(nameProblem("src/new.ts")).toBeNull()
    for (const name of ["", " ", "a//b", "../up", "a/./b", "nul\0"]) expect(nameProblem(name)).not.toBeNull()
  })
})
