// Concatenates chunks of bytes.
import { expect, it } from "vitest"
import { joinBytes } from "../../src/net/join-bytes.ts"

it.each([
  [[], []],
  [[[1, 2]], [1, 2]],
  [
    [[1], [], [2, 3]],
    [1, 2, 3],
  ],
])("%j is %j", (pieces, whole) => {
  expect([...joinBytes(pieces.map((piece) => Uint8Array.from(piece)))]).toEqual(whole)
})
