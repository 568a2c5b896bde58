import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { Bash } from "just-bash/browser"
import { RE2JS } from "re2js"
import { describe, expect, it, vi } from "vitest"
import { shareRe2 } from "../../scripts/share-re2.mjs"

const grep = (pattern: string) => new Bash({ files: { "/f": "aKb\nab\n" } }).exec(`grep -oP '${pattern}' /f`)

describe("the shell of an installed Perch", () => {
  it("matches with Perch's own RE2JS", async () => {
    const compile = vi.spyOn(RE2JS, "compile")
    expect(await grep("a.?b")).toMatchObject({ stdout: "aKb\nab\n", exitCode: 0 })
    expect(compile).toHaveBeenCalledWith("a.?b", expect.anything())
    compile.mockRestore()
  })

  it("refuses an escape that it does not know", async () => {
    expect(await grep(String.raw`a\Rb`)).toMatchObject({ stdout: "", exitCode: 2 })
  })
})

describe("shareRe2", () => {
  it("leaves another version of just-bash as it is, and names the script to adapt", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-share-"))
    const file = path.join(folder, "browser.js")
    fs.writeFileSync(file, "export {}")
    expect(() => shareRe2(file)).toThrow("Adapt scripts/share-re2.mjs")
    expect(fs.readFileSync(file, "utf8")).toBe("export {}")
    fs.rmSync(folder, { recursive: true })
  })

  it("has nothing to do where just-bash is not installed", () => {
    expect(shareRe2(path.join(os.tmpdir(), "perch-no-such-file.js"))).toBe(false)
  })
})
