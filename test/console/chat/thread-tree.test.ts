import { expect, it } from "vitest"
import { threadTree } from "../../../src/console/chat/thread-tree.ts"

const tree = (parents: Readonly<Record<string, string | undefined>>, calls: ReadonlyArray<string>) =>
  threadTree({
    ids: Object.keys(parents),
    parentCallOf: (id) => parents[id],
    hasCall: (call) => calls.includes(call),
  })

it("puts a subagent's messages below its call, at any depth", () => {
  const { main, children } = tree({ a: undefined, b: "one", c: "two", d: "one", e: undefined }, ["one", "two"])
  expect(main).toEqual(["a", "e"])
  expect(Object.fromEntries(children)).toEqual({ one: ["b", "d"], two: ["c"] })
})

it("leaves messages whose call is not loaded in the main thread", () => {
  expect(tree({ a: "gone", b: undefined }, []).main).toEqual(["a", "b"])
})
