// Transcripts of the official SDK: an entry for each block of an answer, and a call's result after the entry of the call.
import { expect, it } from "vitest"
import { withParallelCalls } from "../../../src/client/transcripts/parallel-calls.ts"
import type { Entry } from "../../../src/client/transcripts/transcript.ts"

const user = (uuid: string, parentUuid: string | null, content: unknown = uuid): Entry => ({
  type: "user",
  uuid,
  parentUuid,
  message: { role: "user", content },
})
const block = (uuid: string, parentUuid: string, id = "msg_1"): Entry => ({
  type: "assistant",
  uuid,
  parentUuid,
  message: { id, role: "assistant", content: [] },
})
const result = (uuid: string, parentUuid: string, call: string): Entry =>
  user(uuid, parentUuid, [{ type: "tool_result", tool_use_id: call, content: uuid }])

/** The uuids of the conversation that ends with the last entry. */
const read = (entries: ReadonlyArray<Entry>): ReadonlyArray<unknown> => {
  const chain: Array<Entry> = []
  for (let next = entries.at(-1); next !== undefined;) {
    const { parentUuid } = next
    chain.unshift(next)
    next = entries.find(({ uuid }) => uuid === parentUuid)
  }
  return withParallelCalls(entries, chain).map(({ uuid }) => uuid)
}

const START = [user("p", null), block("a1", "p"), block("a2", "a1"), block("a3", "a2")]

it.each([
  ["the last call's", ["r1:a1", "r2:a2", "r3:a3"]],
  ["the first call's", ["r3:a3", "r2:a2", "r1:a1"]],
  ["another call's", ["r1:a1", "r3:a3", "r2:a2"]],
])("has all blocks and results when the chain has %s result", (_, written) => {
  const results = written.map((each) => {
    const [uuid = "", parent = ""] = each.split(":")
    return result(uuid, parent, uuid)
  })
  const uuids = results.map(({ uuid }) => uuid)
  const entries = [...START, ...results, block("b", String(uuids.at(-1)), "msg_2")]
  expect(read(entries)).toEqual(["p", "a1", "a2", "a3", ...uuids, "b"])
})

it("has all of several answers", () => {
  const second = [
    block("b1", "r2", "msg_2"),
    block("b2", "b1", "msg_2"),
    result("s1", "b1", "s1"),
    result("s2", "b2", "s2"),
  ]
  const first = [...START.slice(0, 3), result("r1", "a1", "r1"), result("r2", "a2", "r2")]
  expect(read([...first, ...second, user("q", "s2")]).join(" ")).toBe("p a1 a2 r1 r2 b1 b2 s1 s2 q")
})

it.each<readonly [string, ReadonlyArray<Entry>, ReadonlyArray<string>]>([
  [
    "a second result of the same call",
    [result("r1", "a1", "c1"), result("r2", "a1", "c1"), user("q", "r2")],
    ["r2", "q"],
  ],
  ["another branch's prompt", [user("other", "a1"), result("r1", "a1", "c1"), user("q", "r1")], ["r1", "q"]],
  ["an answer of another branch", [block("x", "a1", "msg_9"), result("r1", "a1", "c1"), user("q", "r1")], ["r1", "q"]],
  [
    "what a subagent wrote",
    [{ ...result("x", "a1", "c2"), isSidechain: true }, result("r1", "a1", "c1"), user("q", "r1")],
    ["r1", "q"],
  ],
])("has not %s", (_, rest, uuids) => {
  expect(read([...START.slice(0, 2), ...rest])).toEqual(["p", "a1", ...uuids])
})
