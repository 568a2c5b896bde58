import { describe, expect, test } from "vitest"
import { conditionOf, draftOf, found, isDirty, resolve, saved } from "../../../../src/console/workspace/file/draft.ts"

const BASE = { text: "one\n", etag: '"1"' }
const THEIRS = { text: "theirs\n", etag: '"2"' }
const edited = { ...draftOf(BASE), text: "mine\n" }

describe("a draft of a file that the agent may change", () => {
  test("is written over the version that it was based on, and no other", () => {
    expect(conditionOf(edited)).toEqual({ ifMatch: '"1"' })
    expect(conditionOf(draftOf({ text: null, etag: null }))).toEqual({ ifNoneMatch: "*" })
  })

  test("adopts another version if nothing was typed", () => {
    expect(found(draftOf(BASE), THEIRS)).toEqual(draftOf(THEIRS))
  })

  test("keeps the typed text next to another version, until one is chosen", () => {
    const conflict = found(edited, THEIRS)
    expect(conflict).toEqual({ base: BASE, text: "mine\n", theirs: THEIRS })
    expect(resolve(conflict, "theirs")).toEqual(draftOf(THEIRS))
    const mine = resolve(conflict, "mine")
    expect(mine).toMatchObject({ text: "mine\n", theirs: null })
    expect(conditionOf(mine)).toEqual({ ifMatch: '"2"' })
  })

  test("an equal change is no conflict", () => {
    expect(isDirty(found(edited, { text: "mine\n", etag: '"3"' }))).toBe(false)
  })

  test("a file that was deleted is a conflict, and choosing the draft recreates it", () => {
    const conflict = found(edited, { text: null, etag: null })
    expect(conflict.theirs).toEqual({ text: null, etag: null })
    expect(conditionOf(resolve(conflict, "mine"))).toEqual({ ifNoneMatch: "*" })
  })

  test("a text that is kept over no text is to be written, also an empty one", () => {
    const conflict = found({ ...draftOf(BASE), text: "" }, { text: null, etag: '"5"' })
    const mine = resolve(conflict, "mine")
    expect(isDirty(mine)).toBe(true)
    expect(conditionOf(mine)).toEqual({ ifMatch: '"5"' })
  })

  test("what was typed during a save is not saved yet", () => {
    const later = saved({ ...edited, text: "mine and more\n" }, "mine\n", '"4"')
    expect(isDirty(later)).toBe(true)
    expect(conditionOf(later)).toEqual({ ifMatch: '"4"' })
  })

  test("the same version found again ends a conflict", () => {
    expect(found(found(edited, THEIRS), BASE)).toEqual(edited)
  })
})
