// Media in base64 are checked in texts of any size, also by a process that has compiled so many regular expressions that V8
// no longer optimizes new ones: then an expression that repeats over a whole text overflows the stack.
import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { isBase64 } from "../../src/schemas/base64.ts"

const MODULE = JSON.stringify(new URL("../../src/schemas/base64.ts", import.meta.url).href)
const LARGE = `
import { isBase64 } from ${MODULE}
const text = "A".repeat(20 * 1024 * 1024)
const valid = ["", "AA==", "AAA=", "A===", "AA=A", "AA A"].filter((end) => isBase64(text + end))
console.log(JSON.stringify(valid))`

describe("base64", () => {
  it.each([
    ["", false],
    ["AAAA", true],
    ["AAA=", true],
    ["AA==", true],
    ["A===", false],
    ["====", false],
    ["AAA", false],
    ["AA=A", false],
    ["AA==AAAA", false],
    ["AA A", false],
    ["AAA\n", false],
    ["AA-_", false],
    ["AAAé", false],
  ])("%j is %j", (text, valid) => {
    expect(isBase64(text)).toBe(valid)
  })

  it.each(["--regexp-optimization", "--no-regexp-optimization"])("of 20 MiB, in a process with %s", (flag) => {
    const output = execFileSync(process.execPath, [flag, "--input-type=module", "-e", LARGE], { encoding: "utf8" })
    expect(output).toBe('["","AA==","AAA="]\n')
  })
})
