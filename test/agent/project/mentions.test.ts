import { expect, it } from "vitest"
import { mentionsIn } from "../../../src/agent/project/mentions.ts"

it.each<readonly [string, ReadonlyArray<unknown>]>([
  ["look at @a.txt", [{ path: "a.txt" }]],
  ["@a.txt, then @./sub/b.txt.", [{ path: "a.txt" }, { path: "./sub/b.txt" }]],
  ["@a.txt and @a.txt", [{ path: "a.txt" }]],
  ['@"sp ace.txt" and @/etc/hosts', [{ path: "sp ace.txt" }, { path: "/etc/hosts" }]],
  [
    "@b.txt#L2-3 @b.txt#L7",
    [
      { path: "b.txt", lines: { first: 2, last: 3 } },
      { path: "b.txt", lines: { first: 7, last: 7 } },
    ],
  ],
  ["me@a.txt (@a.txt) `@a.txt` <b>@a.txt", []],
  ['@ @~/.ssh/id @"" @#L1', []],
])("of %j", (text, expected) => {
  expect(mentionsIn(text)).toEqual(expected)
})

it("are limited in number", () => {
  expect(mentionsIn("@".repeat(5000)).map(({ path }) => path.length)).toEqual([1000])
  expect(mentionsIn(Array.from({ length: 100_000 }, (_, at) => `@f${at}`).join(" "))).toHaveLength(50)
})
