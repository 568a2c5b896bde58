import { deflateSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { editTool } from "../../../src/tools/files/edit.ts"
import { readTool } from "../../../src/tools/files/read.ts"
import { writeTool } from "../../../src/tools/files/write.ts"
import { fails, openContext, run, runAndCommit } from "../../tools/tool-context.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])

describe("Read", () => {
  it("numbers lines, and a final newline produces an empty last line", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a.txt", "alpha\nbeta\n")
    const outcome = await run(readTool, { file_path: "a.txt" }, context)
    expect(outcome.content).toBe("1\talpha\n2\tbeta\n3\t")
    expect(outcome.isError).toBeUndefined()
    expect(outcome.output).toEqual({
      type: "text",
      file: { filePath: "a.txt", content: "alpha\nbeta\n", numLines: 3, startLine: 1, totalLines: 3 },
    })
  })

  it("reads a part, and names where to continue", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a", "1\n2\n3\n4\n5")
    const outcome = await run(readTool, { file_path: "/workspace/a", offset: 2, limit: 2 }, context)
    expect(outcome.content).toBe("2\t2\n3\t3\n\n(Lines 2-3 of 5. Continue with offset 4.)")
    expect(outcome.output).toEqual({
      type: "text",
      file: { filePath: "/workspace/a", content: "2\n3", numLines: 2, startLine: 2, totalLines: 5 },
    })
    expect((await run(readTool, { file_path: "a", offset: 5 }, context)).content).toBe("5\t5")
    expect((await run(readTool, { file_path: "a", offset: 0 }, context)).content).toMatch(/^0\t1\n1\t2\n/)
    expect((await run(readTool, { file_path: "a", offset: 6 }, context)).content).toContain("only 5 lines")
  })

  it("stops at its limit of characters, however many lines they are", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/lines", "x\n".repeat(5000))
    const lines = await run(readTool, { file_path: "lines" }, context)
    expect(lines.output).toMatchObject({ file: { numLines: 5001, totalLines: 5001 } })
    expect(lines.content).toMatch(/\n5000\tx\n5001\t$/)
    workspace.writeBytes("/workspace/more", "x\n".repeat(20_000))
    const more = await run(readTool, { file_path: "more" }, context)
    expect(more.output).toMatchObject({ file: { totalLines: 20_001, truncatedByTokenCap: true } })
    expect(more.content).toMatch(/\(Lines 1-(\d+) of 20001\. Continue with offset \d+\.\)$/)
    workspace.writeBytes("/workspace/wide", `${"y".repeat(1500)}\n`.repeat(500))
    expect((await fails(readTool, { file_path: "wide" }, context)).message).toContain(
      "files over 262144 are read in parts",
    )
    const wide = await run(readTool, { file_path: "wide", limit: 2000 }, context)
    expect(String(wide.content).length).toBeLessThan(101_000)
    expect(wide.content).toMatch(/Continue with offset \d+/)
    workspace.writeBytes("/workspace/long", "z".repeat(3_000_000))
    expect(String((await run(readTool, { file_path: "long", limit: 1 }, context)).content).length).toBeLessThan(100_100)
    workspace.writeBytes("/workspace/line", `a\n${"z".repeat(6000)}\nb`)
    expect((await run(readTool, { file_path: "line" }, context)).content).toBe(`1\ta\n2\t${"z".repeat(6000)}\n3\tb`)
    expect((await run(readTool, { file_path: "more", allow_large: true }, context)).output).toMatchObject({
      file: { numLines: 20_001 },
    })
  })

  it("detects images by their name, and their type by their first bytes", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/picture.jpg", PNG)
    const outcome = await run(readTool, { file_path: "picture.jpg" }, context)
    const data = Buffer.from(PNG).toString("base64")
    expect(outcome.content).toEqual([{ type: "image", source: { type: "base64", media_type: "image/png", data } }])
    expect(outcome.output).toEqual({
      type: "image",
      file: { base64: data, type: "image/png", originalSize: PNG.length },
    })
    const large = new Uint8Array(3_750_001)
    large.set(PNG)
    workspace.writeBytes("/workspace/large.png", large)
    expect((await fails(readTool, { file_path: "large.png" }, context)).message).toContain("can't be shown")
    workspace.writeBytes("/workspace/p.txt", PNG)
    expect((await run(readTool, { file_path: "p.txt" }, context)).output).toMatchObject({ type: "text" })
  })

  it("reports what it can't read", async () => {
    const { context, workspace } = openContext()
    workspace.mkdir("/workspace/dir")
    workspace.writeBytes("/workspace/empty", "")
    expect(await fails(readTool, { file_path: "none" }, context)).toMatchObject({
      reason: "not_found",
      message: "There is no file at /workspace/none. The working directory is /workspace.",
    })
    expect((await fails(readTool, { file_path: "dir" }, context)).message).toContain("is a directory")
    expect((await run(readTool, { file_path: "empty" }, context)).content).toBe(
      "<system-reminder>The file exists but is empty.</system-reminder>",
    )
    workspace.writeBytes("/workspace/p.png", "no picture")
    expect((await fails(readTool, { file_path: "p.png" }, context)).message).toContain("has the name of an image")
    expect(await fails(readTool, { file_path: "b.zip" }, context)).toMatchObject({ reason: "invalid_arguments" })
    expect((await fails(readTool, { file_path: "a\0b" }, context)).message).not.toContain("\0")
    expect((await fails(readTool, { file_path: "empty", pages: "x" }, context)).reason).toBe("invalid_arguments")
    expect((await run(readTool, { file_path: "empty", pages: "" }, context)).content).toContain("empty")
  })

  it("follows a symbolic link, but never outside the workspace", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/real", "1")
    workspace.symlink("real", "/workspace/link")
    expect((await run(readTool, { file_path: "link" }, context)).content).toBe("1\t1")
    expect((await fails(readTool, { file_path: "../../../etc/passwd" }, context)).reason).toBe("not_found")
  })
})

describe("Read of a PDF", () => {
  const page = "<</Type /Page>>endobj\n"
  const pdf = (pages: number) => `%PDF-1.4\n${page.repeat(pages)}%%EOF`

  it("returns a line of text and the document", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a.pdf", pdf(3))
    const base64 = Buffer.from(pdf(3)).toString("base64")
    const outcome = await run(readTool, { file_path: "a.pdf" }, context)
    expect(outcome.content).toEqual([
      { type: "text", text: `PDF file: /workspace/a.pdf (${pdf(3).length} bytes)` },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } },
    ])
    const file = { filePath: "/workspace/a.pdf", base64, originalSize: pdf(3).length }
    expect(outcome.output).toEqual({ type: "pdf", file })
    expect(readTool.contentOf?.(outcome.output, "")).toEqual(outcome.content)
  })

  it.each(["x", "1,3", "3-1", "0", "-2", "1-", "1-21", "1-2-3", "999999999"])("rejects the pages %j", async (pages) => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a.pdf", pdf(3))
    const refused = await fails(readTool, { file_path: "a.pdf", pages }, context)
    expect(refused.reason).toBe("invalid_arguments")
    expect(refused.message).toContain("pages")
  })

  it("accepts a range that covers the file, and rejects any other, because pages can't be extracted", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a.pdf", pdf(3))
    for (const pages of ["1-3", "1-20", "", " 1-5 "]) {
      expect((await run(readTool, { file_path: "a.pdf", pages }, context)).output).toMatchObject({ type: "pdf" })
    }
    for (const pages of ["1", "2-3", "1-2"]) {
      const refused = await fails(readTool, { file_path: "a.pdf", pages }, context)
      expect(refused).toMatchObject({ reason: "command_failed" })
      expect(refused.message).toContain("as a whole")
    }
  })

  it("rejects what the Messages API would reject", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/text.pdf", "not a PDF")
    workspace.writeBytes("/workspace/empty.pdf", "")
    workspace.writeBytes("/workspace/long.pdf", pdf(101))
    workspace.writeBytes("/workspace/large.pdf", pdf(1) + "x".repeat(6_000_000))
    // Pages may be inside compressed object streams.
    const packed = deflateSync(Buffer.from("<</Type/Page>>".repeat(150)))
    const stream = [Buffer.from("%PDF-1.5\n1 0 obj<</Type/ObjStm>>\nstream\n"), packed, Buffer.from("\nendstream")]
    workspace.writeBytes("/workspace/packed.pdf", Uint8Array.from(Buffer.concat(stream)))
    for (const [file, words] of [
      ["text", "does not start with %PDF-"],
      ["empty", "is an empty file"],
      ["long", "about 101 pages"],
      ["large", "over 6000000 bytes"],
      ["packed", "about 150 pages"],
    ]) {
      const refused = await fails(readTool, { file_path: `${file}.pdf` }, context)
      expect(refused).toMatchObject({ reason: "command_failed" })
      expect(refused.message).toContain(words)
    }
  })
})

describe("Write", () => {
  it("creates a file at the commit and not before", async () => {
    const { context, workspace, twin } = openContext()
    const outcome = await run(writeTool, { file_path: "new/n.txt", content: "one\n" }, context)
    expect(twin.rowsWritten()).toBe(0)
    expect(outcome.content).toContain("Created /workspace/new/n.txt")
    expect(outcome.output).toEqual({
      type: "create",
      filePath: "/workspace/new/n.txt",
      content: "one\n",
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    })
    outcome.commit?.([])
    expect(workspace.readText("/workspace/new/n.txt")).toBe("one\n")
    expect(twin.rowsWritten()).toBe(2)
  })

  it("replaces a file that was read, and returns the diff", async () => {
    const { context, workspace, knownFiles } = openContext()
    workspace.writeBytes("/workspace/n.txt", "one\ntwo\n")
    knownFiles.add("/workspace/n.txt")
    const outcome = await runAndCommit(writeTool, { file_path: "n.txt", content: "one\nthree\n" }, context)
    expect(outcome.output).toMatchObject({
      type: "update",
      originalFile: "one\ntwo\n",
      structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" one", "-two", "+three"] }],
    })
    expect(workspace.readText("/workspace/n.txt")).toBe("one\nthree\n")
  })

  it("of a file that was empty counts as a creation, as in the official SDK", async () => {
    const { context, workspace, knownFiles } = openContext()
    workspace.writeBytes("/workspace/n.txt", "")
    knownFiles.add("/workspace/n.txt")
    const { output } = await runAndCommit(writeTool, { file_path: "n.txt", content: "a\n" }, context)
    expect(output).toMatchObject({ type: "create", originalFile: null, structuredPatch: [] })
  })

  it("refuses to replace unread files, directories and files that are too large", async () => {
    const { context, workspace } = openContext({ quotas: () => ({ maxFileBytes: 10 }) })
    workspace.writeBytes("/workspace/n.txt", "one")
    workspace.mkdir("/workspace/d")
    expect((await fails(writeTool, { file_path: "n.txt", content: "x" }, context)).message).toContain(
      "has not been read",
    )
    expect((await fails(writeTool, { file_path: "d", content: "x" }, context)).message).toContain("is a directory")
    expect((await fails(writeTool, { file_path: "big", content: "x".repeat(11) }, context)).message).toContain("EFBIG")
  })

  it("with a path below a file is rejected before any ask", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/n.txt", "one")
    for (const path of ["/workspace/n.txt/x", "/workspace/n.txt/d/x"]) {
      const checked = await Effect.runPromise(
        Effect.flip(writeTool.validate!({ file_path: path, content: "x" }, context)),
      )
      expect(checked).toMatchObject({
        reason: "invalid_arguments",
        message: expect.stringContaining("/workspace/n.txt is a file"),
      })
    }
  })

  it("finishes quickly on two large files without common lines", async () => {
    const { context, workspace, knownFiles } = openContext()
    workspace.writeBytes("/workspace/n", Array.from({ length: 20_000 }, (_, index) => `a${index}\n`).join(""))
    knownFiles.add("/workspace/n")
    const content = Array.from({ length: 20_000 }, (_, index) => `b${index}\n`).join("")
    const spent = cpuTime()
    const outcome = await run(writeTool, { file_path: "n", content }, context)
    expect(spent()).toBeLessThan(4_000)
    const hunk = { oldStart: 1, oldLines: 20_000, newStart: 1, newLines: 20_000 }
    expect(outcome.output).toMatchObject({ structuredPatch: [hunk] })
  })
})

describe("Edit", () => {
  const opened = (content: string) => {
    const all = openContext()
    all.workspace.writeBytes("/workspace/n.txt", content)
    all.knownFiles.add("/workspace/n.txt")
    return all
  }

  it("replaces the only occurrence, at the commit and not before", async () => {
    const { context, workspace } = opened("one\ntwo\n")
    const outcome = await run(editTool, { file_path: "n.txt", old_string: "two", new_string: "$& three" }, context)
    expect(workspace.readText("/workspace/n.txt")).toBe("one\ntwo\n")
    expect(outcome.output).toEqual({
      filePath: "/workspace/n.txt",
      oldString: "two",
      newString: "$& three",
      originalFile: "one\ntwo\n",
      structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" one", "-two", "+$& three"] }],
      userModified: false,
      replaceAll: false,
    })
    outcome.commit?.([])
    expect(workspace.readText("/workspace/n.txt")).toBe("one\n$& three\n")
  })

  it("replaces every occurrence on request", async () => {
    const { context, workspace } = opened("a b a b a")
    await runAndCommit(editTool, { file_path: "n.txt", old_string: "a", new_string: "c", replace_all: true }, context)
    expect(workspace.readText("/workspace/n.txt")).toBe("c b c b c")
  })

  it("deletes whole lines with their line end, and parts of lines without", async () => {
    const { context, workspace } = opened("one\ntwo\nthree\n")
    const edit = (old_string: string, replace_all = false) =>
      runAndCommit(editTool, { file_path: "n.txt", old_string, new_string: "", replace_all }, context)
    const { output } = await edit("two")
    expect(workspace.readText("/workspace/n.txt")).toBe("one\nthree\n")
    expect(output).toMatchObject({ oldString: "two", structuredPatch: [{ lines: [" one", "-two", " three"] }] })
    await edit("ne")
    expect(workspace.readText("/workspace/n.txt")).toBe("o\nthree\n")
    workspace.writeBytes("/workspace/n.txt", "  a\r\nb\r\nb\r\nc b\r\nb")
    await edit("b", true)
    expect(workspace.readText("/workspace/n.txt")).toBe("  a\r\nc \r\n")
  })

  it("without an old text fills a file that is empty or not there yet", async () => {
    const { context, workspace, knownFiles } = opened(" \n")
    const fill = (file_path: string) => ({ file_path, old_string: "", new_string: "new\n" })
    const made = await runAndCommit(editTool, fill("d/m.txt"), context)
    expect(workspace.readText("/workspace/d/m.txt")).toBe("new\n")
    expect(made.output).toMatchObject({ oldString: "", newString: "new\n", originalFile: "", replaceAll: false })
    knownFiles.learn(made.output, "/workspace")
    expect(knownFiles.knowledge(workspace, "/workspace/d/m.txt")).toBe("whole")
    const filledUp = await runAndCommit(editTool, fill("n.txt"), context)
    expect(workspace.readText("/workspace/n.txt")).toBe("new\n")
    expect(filledUp.output).toMatchObject({ originalFile: " \n" })
    expect(await fails(editTool, fill("n.txt"), context)).toMatchObject({
      message: expect.stringContaining("not empty"),
    })
    workspace.writeBytes("/workspace/e.txt", "")
    expect(await fails(editTool, fill("e.txt"), context)).toMatchObject({
      message: expect.stringContaining("not been read"),
    })
  })

  it("keeps Windows line ends", async () => {
    const { context, workspace } = opened("one\r\ntwo\r\nthree\r\n")
    await runAndCommit(editTool, { file_path: "n.txt", old_string: "one\ntwo", new_string: "1\n2" }, context)
    expect(workspace.readText("/workspace/n.txt")).toBe("1\r\n2\r\nthree\r\n")
  })

  it.each([
    [{ old_string: "x", new_string: "y" }, "missing_old_text"],
    [{ old_string: "a", new_string: "y" }, "not_unique"],
    [{ old_string: "aa", new_string: "y" }, "not_unique"],
    [{ old_string: "a", new_string: "a" }, "unchanged"],
    [{ old_string: "", new_string: "a" }, "invalid_arguments"],
    [{ file_path: "none", old_string: "a", new_string: "b" }, "not_found"],
  ])("refuses %j as %s", async (input, reason) => {
    const { context, workspace } = opened("aaa")
    expect(await fails(editTool, { file_path: "n.txt", ...input }, context)).toMatchObject({ reason })
    expect(workspace.readText("/workspace/n.txt")).toBe("aaa")
  })

  it("rejects a file that was not read or is not text", async () => {
    const { context, workspace, knownFiles } = openContext()
    workspace.writeBytes("/workspace/n", "a")
    expect((await fails(editTool, { file_path: "n", old_string: "a", new_string: "b" }, context)).message).toContain(
      "has not been read",
    )
    workspace.writeBytes("/workspace/bin", Uint8Array.from([0xff, 97]))
    knownFiles.add("/workspace/bin")
    expect((await fails(editTool, { file_path: "bin", old_string: "a", new_string: "b" }, context)).message).toContain(
      "not UTF-8",
    )
  })
})
