// What is changed of Miniflare as it is loaded, found in the installed version.
import fs from "node:fs"
import { expect, it } from "vitest"
import { MINIFLARE, withLargerSteps } from "../../../../scripts/local/runtime/miniflare.mjs"

it("the installed Miniflare's message for workerd grows by 1 MiB, and nothing else is changed", () => {
  const installed = fs.readFileSync(MINIFLARE, "utf8")
  const parts = installed.split("MIN_SINGLE_SEGMENT_GROWTH = 4096;")
  expect(parts.length, "find what replaces this constant in the new version of Miniflare").toBe(2)
  expect(withLargerSteps(installed)).toBe(parts.join("MIN_SINGLE_SEGMENT_GROWTH = 1048576;"))
})

it("another source is unchanged", () => {
  expect(withLargerSteps("var MIN_SINGLE_SEGMENT_GROWTH = 8192;")).toBe("var MIN_SINGLE_SEGMENT_GROWTH = 8192;")
})
