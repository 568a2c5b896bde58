import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { editTool } from "../../src/tools/files/edit.ts"
import { notebookEditTool } from "../../src/tools/files/notebook-edit.ts"
import { readFile, readTool } from "../../src/tools/files/read.ts"
import { KnownFiles } from "../../src/tools/known-files.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { writeTool } from "../../src/tools/files/write.ts"
import { fails, openContext, runAndCommit } from "./tool-context.ts"

const LINES = "line1\nline2\nline3\nline4\nline5\nline6\n"

/** A session's knowledge of one file: results are learned as the log returns them. */
const session = (content: string | Uint8Array, name = "a.txt") => {
  const opened = openContext()
  const path = `/workspace/${name}`
  opened.workspace.writeBytes(path, content)
  const call = async <I>(tool: Tool<I>, input: Record<string, unknown>) => {
    const outcome = await runAndCommit(tool, input, opened.context)
    opened.knownFiles.learn(JSON.parse(JSON.stringify(outcome.output)), "/workspace")
    return outcome
  }
  return {
    ...opened,
    path,
    text: () => opened.workspace.readText(path),
    read: (input: object = {}) => call(readTool, { file_path: name, ...input }),
    write: (next: string) => call(writeTool, { file_path: name, content: next }),
    edit: (old_string: string, new_string: string) => call(editTool, { file_path: name, old_string, new_string }),
    change: (next: string | Uint8Array) => opened.workspace.writeBytes(path, next),
    refusedWrite: () => fails(writeTool, { file_path: name, content: "x" }, opened.context),
    refusedEdit: (old_string: string) =>
      fails(editTool, { file_path: name, old_string, new_string: "x" }, opened.context),
    knowledge: () => opened.knownFiles.knowledge(opened.workspace, path),
  }
}

const CHANGED = "has been changed since it was read"

describe("a file that changed since it was read", () => {
  it("can't be overwritten before it is read again", async () => {
    const file = session("one\n")
    await file.read()
    file.change("one\ntwo\n")
    expect(await file.refusedWrite()).toMatchObject({
      reason: "invalid_arguments",
      message: expect.stringContaining(CHANGED),
    })
    expect(file.text()).toBe("one\ntwo\n")
    await file.read()
    await file.write("three")
    expect(file.text()).toBe("three")
  })

  it("counts as unchanged if only its time changed, or if its content is the same again", async () => {
    const file = session("one\n")
    await file.read()
    file.workspace.utimes(file.path, 5)
    file.change("two\n")
    file.change("one\n")
    await file.write("three")
    expect(file.text()).toBe("three")
  })

  it("accepts an edit that still matches, with a note, and is known afterwards", async () => {
    const file = session("one\ntwo\n")
    await file.read()
    file.change("one\ntwo\nthree\n")
    const outcome = await file.edit("two", "2")
    expect(outcome.content).toContain("the file contains changes that you have not seen")
    expect(outcome.output).toMatchObject({ staleRecovered: true, contentNotInModelContext: true })
    expect(file.text()).toBe("one\n2\nthree\n")
    await file.write("r")
    expect(file.text()).toBe("r")
  })

  it("rejects an edit that no longer matches, whatever the reason", async () => {
    const file = session("one\n")
    await file.read()
    file.change("x\n")
    expect(await file.refusedEdit("one")).toMatchObject({ reason: "missing_old_text" })
    expect((await file.refusedEdit("one")).message).toContain(CHANGED)
    file.change("one one\n")
    expect(await file.refusedEdit("one")).toMatchObject({ reason: "not_unique" })
    expect((await file.refusedEdit("one")).message).toContain(CHANGED)
    expect(file.text()).toBe("one one\n")
  })

  it("is detected by a write that waited for an answer", async () => {
    const file = session("one\n")
    await file.read()
    const input = { file_path: "a.txt", content: "x" }
    await Effect.runPromise(writeTool.validate!(input, file.context))
    file.change("two\n")
    const late = await Effect.runPromise(Effect.flip(writeTool.run(input, file.context)))
    expect(late.message).toContain(CHANGED)
  })
})

describe("a file that was partly read", () => {
  it("may be edited and overwritten, and an edit does not mark all of it as known", async () => {
    const file = session(LINES)
    await file.read({ offset: 2, limit: 2 })
    expect(file.knowledge()).toBe("part")
    const outcome = await file.edit("line5", "five")
    expect(outcome.content).toBe("Updated /workspace/a.txt.")
    expect(outcome.output).toMatchObject({ contentNotInModelContext: true })
    expect(outcome.output).not.toHaveProperty("staleRecovered")
    expect(file.knowledge()).toBe("part")
    await file.write("all")
    expect(file.knowledge()).toBe("whole")
  })

  it("is stale if the part that was read, or its number of lines, differs", async () => {
    const file = session(LINES)
    await file.read({ offset: 2, limit: 2 })
    file.change(LINES.replace("line3", "three"))
    expect((await file.refusedWrite()).message).toContain(CHANGED)
    expect((await file.refusedEdit("line3")).message).toContain(CHANGED)
    file.change(`${LINES}more\n`)
    expect((await file.refusedWrite()).message).toContain(CHANGED)
    const outcome = await file.edit("line5", "five")
    expect(outcome.output).toMatchObject({ staleRecovered: true, contentNotInModelContext: true })
  })

  it("is current after any read of it, and stale after any change of what was read", async () => {
    const bytes = fc
      .uint8Array({ maxLength: 60 })
      .map((some) => some.map((byte) => [10, 13, 65, 195, 169, byte || 1][byte % 6]!))
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 8 }),
        bytes,
        async (content, offset, limit, other) => {
          const file = session(content)
          const { output } = await file.read({ offset, limit })
          expect(file.knowledge()).not.toBe("stale")
          expect(file.knowledge()).not.toBe("none")
          file.change(other)
          const again = (await runAndCommit(readTool, { file_path: "a.txt", offset, limit }, file.context)).output
          const same = JSON.stringify(again) === JSON.stringify(output)
          if (file.knowledge() !== "stale") expect(same).toBe(true)
          // Contents that look the same when shown as text may count as the same.
          else if (same) expect(JSON.stringify(output)).toContain("\uFFFD")
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe("knowledge of files", () => {
  it("is current after any edits, from the log alone", async () => {
    const step = fc.record({
      old: fc.constantFrom("a", "b\n", "\r\n", "ab", "ä"),
      next: fc.constantFrom("", "a", "b", "x\n", "ä$&"),
      all: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("a b\nab\n", "ab\r\na\r\nb", "ä a", "\uFEFFa\nb\n"),
        fc.array(step, { maxLength: 6 }),
        async (content, steps) => {
          const file = session(content)
          await file.read()
          for (const { old, next, all } of steps) {
            const input = { file_path: "a.txt", old_string: old, new_string: next, replace_all: all }
            const outcome = await runAndCommit(editTool, input, file.context).catch(() => null)
            if (outcome !== null) file.knownFiles.learn(outcome.output, "/workspace")
            expect(file.knowledge()).toBe("whole")
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it("is not learned from a result that a hook replaced, nor from other tools", async () => {
    const file = session("secret")
    file.knownFiles.learn({ type: "text", file: { filePath: file.path, content: "***" } }, "/workspace", true)
    expect(file.knowledge()).toBe("whole")
    for (const odd of [
      { filePath: "b" },
      { filePath: "a\0b", content: "x" },
      { file: { filePath: "b" } },
      { file: "b" },
      { type: "text", file: { filePath: "b", content: 3 } },
      ["b"],
      "b",
      null,
    ])
      file.knownFiles.learn(odd, "/workspace")
    expect([...file.knownFiles]).toEqual([file.path])
  })

  it("also covers PDF files and files that are not UTF-8", async () => {
    const pdf = session("%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n", "a.pdf")
    await pdf.read()
    expect(pdf.knowledge()).toBe("whole")
    pdf.change("%PDF-1.4\n2 0 obj<</Type/Page>>endobj\n")
    expect(pdf.knowledge()).toBe("stale")
    const latin = session(Uint8Array.from([65, 0xe9, 10, 66]))
    await latin.read()
    expect(latin.knowledge()).toBe("whole")
    latin.change(Uint8Array.from([65, 0xe9, 10, 67]))
    expect(latin.knowledge()).toBe("stale")
  })

  it("also covers a single line that is too long to be shown completely", async () => {
    const file = session("z".repeat(1_000_000))
    expect((await file.read({ limit: 1 })).output).toMatchObject({ file: { truncatedByTokenCap: true } })
    expect(file.knowledge()).toBe("part")
    file.change("y".repeat(1_000_000))
    expect(file.knowledge()).toBe("stale")
  })

  it("covers notebooks by their cells", async () => {
    const notebook = (source: string, space = 0) =>
      JSON.stringify(
        { cells: [{ cell_type: "code", source, outputs: [] }], nbformat: 4, nbformat_minor: 5 },
        null,
        space,
      )
    const file = session(notebook("a"), "n.ipynb")
    await file.read()
    file.change(notebook("a", 2))
    expect(file.knowledge()).toBe("whole")
    file.change(notebook("b"))
    expect(file.knowledge()).toBe("stale")
    const edit = { notebook_path: "n.ipynb", cell_id: "cell-0", new_source: "c" }
    expect((await fails(notebookEditTool, edit, file.context)).message).toContain(CHANGED)
    file.change("{")
    expect(file.knowledge()).toBe("stale")
  })

  it("is the same from the output of Read as from the log", async () => {
    const mark = [0xef, 0xbb, 0xbf]
    const contents = ["", "a", "a\nb\n", "a\r\nb", "h\u00e9", "\u{1f600}", "x\uFFFD", "\0"]
    const files = [
      ...contents.map((content) => new TextEncoder().encode(content)),
      Uint8Array.from([...mark, 65]),
      Uint8Array.from([0xff, 0xfe, 65, 0]),
      Uint8Array.from([65, 0xe9]),
    ]
    for (const bytes of files)
      for (const range of [{}, { offset: 2 }, { limit: 1 }]) {
        const file = session(bytes)
        const { output } = await file.read(range)
        const running = new KnownFiles()
        running.learn(output, "/workspace")
        expect(running.save()).toEqual(file.knownFiles.save())
      }
  })

  it("needs no second hash of an ASCII text that Read returned whole", () => {
    const hashOfRead = (content: string, input: object = {}) => {
      const known = new KnownFiles()
      const bytes = new TextEncoder().encode(content)
      known.learn(readFile(bytes, { file_path: "/a", ...input }, "/a", "its hash").output, "/")
      return known.save().files[0]?.[1].seen
    }
    expect(hashOfRead("one\ntwo\n")).toEqual({ kind: "content", hash: "its hash" })
    for (const other of [hashOfRead("one\r\n"), hashOfRead("\u00e9"), hashOfRead("1\n2", { limit: 1 })])
      expect(other).not.toMatchObject({ hash: "its hash" })
  })
})
