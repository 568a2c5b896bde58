// What counts as a block of a message's content.
import { describe, expect, it } from "vitest"
import { blocksIn, blocksOf } from "../../../../src/schemas/sdk/messages/blocks.ts"

const TEXT = { type: "text", text: "hi" }

describe("the blocks of content", () => {
  it("are the list itself, or one block for a text", () => {
    const list = [TEXT, { type: "of a later version", field: 1 }]
    expect(blocksOf(list)).toBe(list)
    expect(blocksOf("hi")).toEqual([TEXT])
    expect(blocksIn("hi")).toEqual([TEXT])
  })

  it("of another program are those entries that have a type", () => {
    expect(blocksIn([TEXT, null, "hi", [TEXT], { text: "hi" }, { type: 1 }])).toEqual([TEXT])
    expect(blocksIn({ ...TEXT })).toEqual([])
    expect(blocksIn(undefined)).toEqual([])
  })
})
