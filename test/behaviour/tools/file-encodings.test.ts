import { describe, expect, it } from "vitest"
import { editTool } from "../../../src/tools/files/edit.ts"
import { grepTool } from "../../../src/tools/files/grep.ts"
import { notebookEditTool } from "../../../src/tools/files/notebook-edit.ts"
import { readTool } from "../../../src/tools/files/read.ts"
import type { Tool } from "../../../src/tools/tool.ts"
import { writeTool } from "../../../src/tools/files/write.ts"
import { fails, openContext, runAndCommit } from "../../tools/tool-context.ts"

const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le"))
const bigEndian = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le").swap16())
const marked = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf8"))
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"))

/** A workspace with one file, and calls whose results the session's memory learns from the log. */
const withFile = (content: Uint8Array | string, name = "a.txt") => {
  const { context, workspace, knownFiles } = openContext()
  const path = `/workspace/${name}`
  workspace.writeBytes(path, content)
  const call = async <I>(tool: Tool<I>, input: Record<string, unknown>) => {
    const outcome = await runAndCommit(tool, input, context)
    knownFiles.learn(JSON.parse(JSON.stringify(outcome.output)), "/workspace")
    return outcome
  }
  return {
    context,
    bytes: () => workspace.readBytes(path),
    knowledge: () => knownFiles.knowledge(workspace, path),
    read: (input: object = {}) => call(readTool, { file_path: name, ...input }),
    edit: (old_string: string, new_string: string, more: object = {}) =>
      call(editTool, { file_path: name, old_string, new_string, ...more }),
    write: (text: string) => call(writeTool, { file_path: name, content: text }),
    change: (next: Uint8Array | string) => workspace.writeBytes(path, next),
    call,
  }
}

describe.each([
  ["UTF-16", utf16],
  ["big-endian UTF-16", bigEndian],
  ["UTF-8 with a byte-order mark", marked],
])("a file in %s", (_name, encode) => {
  it("is read as its text, without the byte-order mark", async () => {
    const file = withFile(encode("hällo\r\nwörld\r\n"))
    const { content, output } = await file.read()
    expect(content).toBe("1\thällo\n2\twörld\n3\t")
    expect(output).toMatchObject({ file: { content: "hällo\nwörld\n", numLines: 3, totalLines: 3 } })
    expect(file.knowledge()).toBe("whole")
    expect((await file.read({ offset: 2, limit: 1 })).content).toMatch(/^2\twörld\n/)
    expect(file.knowledge()).toBe("part")
    file.change(encode("hällo\r\nwelt\r\n"))
    expect(file.knowledge()).toBe("stale")
  })

  it("keeps its encoding, its byte-order mark and its line ends when it is edited", async () => {
    const file = withFile(encode("one\r\ntwo\r\n"))
    await file.read()
    const { output } = await file.edit("one\ntwo", "eins\nzwei\ndrei")
    expect(file.bytes()).toEqual(encode("eins\r\nzwei\r\ndrei\r\n"))
    expect(output).toMatchObject({
      oldString: "one\ntwo",
      newString: "eins\nzwei\ndrei",
      originalFile: "\uFEFFone\ntwo\n",
    })
    expect(file.knowledge()).toBe("whole")
  })

  it("keeps its encoding and its byte-order mark when it is rewritten", async () => {
    const file = withFile(encode("old\n"))
    await file.read()
    const { output } = await file.write("neu ü\n")
    expect(file.bytes()).toEqual(encode("neu ü\n"))
    expect(output).toMatchObject({ content: "\uFEFFneu ü\n", originalFile: "\uFEFFold\n" })
    expect(file.knowledge()).toBe("whole")
  })

  it("is searched as its text", async () => {
    const file = withFile(encode("alpha\nbeta\n"))
    const { content } = await file.call(grepTool, { pattern: "^alpha$", output_mode: "content" })
    expect(content).toBe("a.txt:1:alpha")
  })
})

describe("a file that is invalid in its encoding", () => {
  it.each([
    ["Latin-1", latin1("caf\xe9\n")],
    ["UTF-16 that breaks off inside a character", utf16("abc").subarray(0, 7)],
    ["UTF-16 with half of a pair", utf16("a\ud83d")],
  ])("is read with a note, and neither written nor edited: %s", async (_name, content) => {
    const file = withFile(content)
    expect((await file.read()).content).toMatch(/\uFFFD[^]*not UTF-8 text[^]*Write and Edit refuse it/)
    const refused = { reason: "command_failed", message: expect.stringContaining("is not UTF-8 text") }
    expect(await fails(writeTool, { file_path: "a.txt", content: "caf\uFFFD!\n" }, file.context)).toMatchObject(refused)
    expect(await fails(editTool, { file_path: "a.txt", old_string: "a", new_string: "b" }, file.context)).toMatchObject(
      refused,
    )
    expect(file.bytes()).toEqual(content)
  })

  it("is read without a note if the text itself contains U+FFFD", async () => {
    const file = withFile("a \uFFFD b\n")
    expect((await file.read()).content).toBe("1\ta \uFFFD b\n2\t")
    await file.edit("a", "c")
    expect(file.bytes()).toEqual(new Uint8Array(Buffer.from("c \uFFFD b\n")))
  })
})

describe("line ends", () => {
  it("of a file are used for lines that an edit adds", async () => {
    const file = withFile("one\r\ntwo\r\n")
    await file.read()
    await file.edit("one", "one\none and a half")
    expect(Buffer.from(file.bytes()).toString()).toBe("one\r\none and a half\r\ntwo\r\n")
    expect(file.knowledge()).toBe("whole")
  })

  it("of an edit may differ from those of the file", async () => {
    const file = withFile("one\ntwo\n")
    await file.read()
    await file.edit("one\r\ntwo", "1\r\n2")
    expect(Buffer.from(file.bytes()).toString()).toBe("1\n2\n")
    expect(file.knowledge()).toBe("whole")
  })

  it("are LF in what clients are shown", async () => {
    const file = withFile("a\r\nb")
    expect((await file.read()).output).toMatchObject({ file: { content: "a\nb" } })
    expect((await file.write("c\n")).output).toMatchObject({ originalFile: "a\nb" })
  })

  it("that are mixed stay unchanged where nothing is edited", async () => {
    const file = withFile("a\r\nb\nc\nd\n")
    await file.read()
    await file.edit("b\nc", "B\nC")
    expect(Buffer.from(file.bytes()).toString()).toBe("a\r\nB\nC\nd\n")
    expect(file.knowledge()).toBe("whole")
  })
})

describe("a notebook", () => {
  it("keeps its byte-order mark and its line ends when a cell is changed", async () => {
    const text = (source: string, count: number | null): string =>
      JSON.stringify(
        {
          cells: [{ cell_type: "code", id: "c", source, metadata: {}, execution_count: count, outputs: [] }],
          metadata: {},
          nbformat: 4,
          nbformat_minor: 5,
        },
        null,
        1,
      ).replaceAll("\n", "\r\n")
    const file = withFile(marked(text("x", 1)), "a.ipynb")
    await file.read()
    await file.call(notebookEditTool, { notebook_path: "a.ipynb", cell_id: "c", new_source: "y" })
    expect(file.bytes()).toEqual(marked(text("y", null)))
    expect(file.knowledge()).toBe("whole")
  })

  it("that is not UTF-8 is not changed", async () => {
    const text = '{"cells":[{"cell_type":"code","id":"c","source":"caf\xe9","metadata":{},"outputs":[]}],"metadata":{}}'
    const file = withFile(latin1(text), "a.ipynb")
    await file.read()
    const input = { notebook_path: "a.ipynb", cell_id: "c", new_source: "y" }
    expect((await fails(notebookEditTool, input, file.context)).message).toContain("is not UTF-8 text")
  })
})
