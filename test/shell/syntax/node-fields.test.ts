import { describe, expect, it } from "vitest"
import { isNode, literalOf, nodeAt, nodesAt, partsOf } from "../../../src/shell/syntax/node-fields.ts"
import { quoted, simple, text, variable, wordOf } from "../../../src/shell/syntax/nodes.ts"

describe("a field of a syntax node", () => {
  it("that is absent, null or of another kind is read as null or as an empty list", () => {
    const node = { type: "SimpleCommand", name: null, args: "text" }
    expect([nodeAt(node, "name"), nodeAt(node, "other"), nodeAt({ parts: [] }, "parts")]).toEqual([null, null, null])
    expect([nodesAt(node, "args"), nodesAt(node, "name"), partsOf(null), partsOf("word")]).toEqual([[], [], [], []])
    expect([isNode(null), isNode([]), isNode({})]).toEqual([false, false, true])
  })

  it("is read once, because a getter may count the reads", () => {
    let reads = 0
    const node = Object.defineProperty({}, "parts", { get: () => ((reads += 1), [text("a")]) })
    expect(partsOf(node)).toEqual([text("a")])
    expect(reads).toBe(1)
  })
})

it("only a word of one unquoted text has a literal", () => {
  expect(literalOf(simple("cd", [])["name"])).toBe("cd")
  expect(
    [wordOf(), wordOf(text("a"), text("b")), quoted(text("a")), wordOf(variable("x")), null].map(literalOf),
  ).toEqual([null, null, null, null, null])
})
