// What the model is shown when a hook replaces a tool's output.
import { describe, expect, it } from "vitest"
import { bashContent, globContent, grepContent, readContent } from "../../src/tools/output-content.ts"

describe("an output from a hook", () => {
  it("of Bash is shown as its two streams", () => {
    expect(bashContent({ stdout: "a", stderr: "b", interrupted: false })).toBe("a\nb")
    expect(bashContent({ stdout: "", stderr: "", interrupted: false })).toBe("(The command printed no output.)")
  })

  it("of Read is shown with the numbers of its lines", () => {
    const file = { filePath: "/a", content: "x\ny", numLines: 2, startLine: 7, totalLines: 9 }
    expect(readContent({ type: "text", file })).toBe("7\tx\n8\ty")
  })

  it("of a search is shown like a search result", () => {
    expect(globContent({ durationMs: 1, numFiles: 1, filenames: ["a"], truncated: false })).toBe("a")
    expect(grepContent({ numFiles: 1, filenames: ["a"] })).toBe("Found 1 file\na")
    expect(grepContent({ mode: "content", numFiles: 0, filenames: [], content: "a:1:b" })).toBe("a:1:b")
    expect(grepContent({ numFiles: 0, filenames: [] })).toBe("No files found")
  })

  it.each([["text"], [{ weird: true }], [null]])("of another shape is rejected: %j", (value) => {
    expect(bashContent(value)).toBeNull()
    expect(readContent(value)).toBeNull()
    expect(grepContent(value)).toBeNull()
  })
})
