// Completions while a prompt is typed.
import { expect, test } from "vitest"
import { mentionsIn } from "../../../src/agent/project/mentions.ts"
import { complete, matching, mentionOf, type Suggestion, tokenAt } from "../../../src/console/compose/completions.ts"

const items = (...names: ReadonlyArray<string>): ReadonlyArray<Suggestion> =>
  names.map((insert) => ({ insert, detail: "", hint: "" }))

test("a command is completed only at the start of the prompt", () => {
  expect(tokenAt("/comp", 5)).toEqual({ kind: "command", from: 0, to: 5, query: "comp" })
  expect(tokenAt("/", 1)).toMatchObject({ kind: "command", query: "" })
  expect(tokenAt("do /comp", 8)).toBeNull()
  expect(tokenAt("/compact now", 12)).toBeNull()
})

test("a mention is completed after a space, at the caret", () => {
  expect(tokenAt("read @src/a and", 11)).toEqual({ kind: "mention", from: 5, to: 11, query: "src/a" })
  expect(tokenAt("line\n@n", 7)).toMatchObject({ kind: "mention", from: 5 })
  expect(tokenAt("mail a@b", 8)).toBeNull()
  expect(tokenAt("@a b", 4)).toBeNull()
})

test("paths that start with the query rank above file names, and those above the rest", () => {
  const all = items("@docs/a-note.md", "@notes.txt", "@src/notes.ts", "@other")
  expect(matching(all, "NOT").map(({ insert }) => insert)).toEqual(["@notes.txt", "@src/notes.ts", "@docs/a-note.md"])
  expect(matching(items(...Array.from({ length: 30 }, (_, index) => `@f${index}`)), "")).toHaveLength(10)
})

test("a suggestion replaces the word, and the caret is placed after it", () => {
  const token = tokenAt("read @no now", 8)
  expect(token && complete("read @no now", token, items("@notes.txt")[0]!)).toEqual({
    text: "read @notes.txt now",
    caret: 16,
  })
  const open = tokenAt("@s", 2)
  expect(open && complete("@s", open, items("@src/")[0]!)).toEqual({ text: "@src/", caret: 5 })
  const command = tokenAt("/c", 2)
  expect(command && complete("/c", command, items("/compact")[0]!)).toEqual({ text: "/compact ", caret: 9 })
})

test("what is completed is mentioned so that the server reads the whole path", () => {
  for (const path of ["notes.txt", "my file.txt", "src/a (1)", "v1.", "why?", "it`s", "ünï.txt", "a'b"])
    expect(mentionsIn(`see ${mentionOf(path)} now`)).toEqual([{ path }])
  const token = tokenAt("see @my", 7)
  expect(token && complete("see @my", token, items("@my file.txt")[0]!)).toEqual({
    text: 'see @"my file.txt" ',
    caret: 19,
  })
})

test("a folder with a space is left open in its quotes, and completed on", () => {
  const folder = tokenAt("see @my", 7)
  const open = folder && complete("see @my", folder, items("@my files/")[0]!)
  expect(open).toEqual({ text: 'see @"my files/', caret: 15 })
  const text = 'see @"my files/a'
  const token = tokenAt(text, text.length)
  expect(token).toEqual({ kind: "mention", from: 4, to: 16, query: "my files/a" })
  const done = { text: 'see @"my files/a.txt" ', caret: 22 }
  expect(token && complete(text, token, items("@my files/a.txt")[0]!)).toEqual(done)
  expect(token && complete(`${text}"`, token, items("@my files/a.txt")[0]!)).toEqual(done)
  expect(tokenAt('see @"my files" an', 18)).toBeNull()
})
