import { describe, expect, test } from "vitest"
import { jsonRows, moveOfKey, openTo } from "../../../src/console/kit/json-rows.ts"

const value = { a: { b: [1, "two", null] }, "c/d": true }
const shown = (open: ReadonlySet<string>) => jsonRows(value, open).map(({ path, text }) => [path, text])

describe("rows of a JSON tree", () => {
  test("a closed value is one row with the count of its children", () => {
    expect(shown(new Set())).toEqual([["", "{2}"]])
    expect(jsonRows([], new Set())[0]).toMatchObject({ text: "[]", isExpandable: false })
  })

  test("children follow an open value, identified by JSON Pointers", () => {
    expect(shown(openTo(value, 1))).toEqual([
      ["", "{2}"],
      ["/a", "{1}"],
      ["/c~1d", "true"],
    ])
    expect(shown(openTo(value, 3)).map(([path]) => path)).toEqual([
      "",
      "/a",
      "/a/b",
      "/a/b/0",
      "/a/b/1",
      "/a/b/2",
      "/c~1d",
    ])
  })

  test("a long text is truncated until it is opened", () => {
    const text = `${"x".repeat(200)}\nend`
    const [closed] = jsonRows(text, new Set())
    expect(closed?.text.length).toBeLessThan(text.length)
    expect(jsonRows(text, new Set([""]))[0]?.text).toBe(text)
  })

  test("a truncated text has no half of a character", () => {
    const [closed] = jsonRows(`${"x".repeat(159)}🐦 and more`, new Set())
    expect(closed?.text).toBe(`${"x".repeat(159)}…`)
  })

  test("characters that reverse the direction of a text or are invisible are shown by their code points", () => {
    const command = `echo \u202E${"x".repeat(200)}`
    expect(jsonRows("a\u202Eb\u200B", new Set())[0]?.text).toBe("a⟨U+202E⟩b⟨U+200B⟩")
    expect(jsonRows(command, new Set())[0]?.text).toContain("echo ⟨U+202E⟩x")
    expect(jsonRows(command, new Set([""]))[0]?.text).toContain("echo ⟨U+202E⟩x")
  })

  test("many children are shown in portions", () => {
    const many = Array.from({ length: 250 }, (_, index) => index)
    const rows = jsonRows(many, new Set([""]))
    expect(rows).toHaveLength(102)
    expect(rows.at(-1)).toMatchObject({ kind: "more", text: "150 more", path: "#100" })
    expect(jsonRows(many, new Set(["", "#100"])).at(-1)).toMatchObject({ text: "50 more" })
    expect(jsonRows(many, new Set(["", "#100", "#200"]))).toHaveLength(251)
  })

  test("keys move through the rows, and open and close them", () => {
    const open = openTo(value, 1)
    const rows = jsonRows(value, open)
    expect(moveOfKey("ArrowDown", rows, "")).toEqual({ kind: "focus", path: "/a" })
    expect(moveOfKey("ArrowRight", rows, "/a")).toEqual({ kind: "toggle", path: "/a" })
    expect(moveOfKey("ArrowRight", rows, "")).toEqual({ kind: "focus", path: "/a" })
    expect(moveOfKey("ArrowLeft", rows, "/c~1d")).toEqual({ kind: "focus", path: "" })
    expect(moveOfKey("ArrowLeft", rows, "")).toEqual({ kind: "toggle", path: "" })
    expect(moveOfKey("End", rows, "")).toEqual({ kind: "focus", path: "/c~1d" })
    expect(moveOfKey("Enter", rows, "/c~1d")).toBeUndefined()
    expect(moveOfKey("x", rows, "")).toBeUndefined()
  })
})
