import { describe, expect, it } from "vitest"
import { notebookEditTool } from "../../../src/tools/files/notebook-edit.ts"
import { readTool } from "../../../src/tools/files/read.ts"
import { fails, openContext, run, runAndCommit } from "../tool-context.ts"

const PNG = "iVBORw0KGgo="

const OUTPUTS = [
  { output_type: "stream", name: "stdout", text: ["1\n"] },
  {
    output_type: "execute_result",
    data: { "text/plain": ["42"], "image/png": [PNG.slice(0, 4), PNG.slice(4)] },
    metadata: {},
  },
  { output_type: "error", ename: "E", evalue: "v", traceback: ["tb1", "tb2"] },
]
const MARKDOWN = { cell_type: "markdown", id: "m1", metadata: { tag: 1 }, source: ["# T\n", "hello"] }
const CODE = { cell_type: "code", id: "c1", execution_count: 3, metadata: {}, source: "print(1)", outputs: OUTPUTS }

const opened = (cells: ReadonlyArray<object> = [MARKDOWN, CODE], minor = 5, metadata: object = {}) => {
  const all = openContext()
  const write = (text: string) => all.workspace.writeBytes("/workspace/a.ipynb", text)
  write(JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: minor, extra: { kept: true } }))
  const read = () => run(readTool, { file_path: "a.ipynb" }, all.context)
  const know = async () => all.knownFiles.learn((await read()).output, "/workspace")
  const edit = async (input: object) => {
    await know()
    return runAndCommit(notebookEditTool, { notebook_path: "a.ipynb", ...input }, all.context)
  }
  const refusal = async (input: object) => {
    await know()
    return fails(notebookEditTool, { notebook_path: "a.ipynb", ...input }, all.context)
  }
  const notebook = () => JSON.parse(all.workspace.readText("/workspace/a.ipynb"))
  return { ...all, write, read, edit, refusal, notebook }
}

describe("Read of a notebook", () => {
  it("returns cells with their outputs, with texts joined and images as images", async () => {
    const outcome = await opened().read()
    expect(outcome.content).toEqual([
      {
        type: "text",
        text:
          '<cell id="m1"><cell_type>markdown</cell_type># T\nhello</cell id="m1">\n' +
          '<cell id="c1">print(1)</cell id="c1">\n\n1\n\n\n42',
      },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      { type: "text", text: "\nE: v\ntb1\ntb2" },
    ])
    expect(outcome.output).toEqual({
      type: "notebook",
      file: {
        filePath: "/workspace/a.ipynb",
        cells: [
          { cellType: "markdown", source: "# T\nhello", cell_id: "m1" },
          {
            cellType: "code",
            source: "print(1)",
            execution_count: 3,
            cell_id: "c1",
            language: "python",
            outputs: [
              { output_type: "stream", text: "1\n" },
              { output_type: "execute_result", text: "42", image: { image_data: PNG, media_type: "image/png" } },
              { output_type: "error", text: "E: v\ntb1\ntb2" },
            ],
          },
        ],
      },
    })
    expect(readTool.contentOf?.(outcome.output, "")).toEqual(outcome.content)
  })

  it("identifies cells without ids by their index, and names languages other than Python", async () => {
    const cells = [
      { cell_type: "code", source: "a", outputs: [] },
      { cell_type: "raw", source: ["b"] },
    ]
    const { content } = await opened(cells, 2, { language_info: { name: "R" } }).read()
    expect(content).toEqual([
      {
        type: "text",
        text:
          '<cell id="cell-0"><language>R</language>a</cell id="cell-0">\n' +
          '<cell id="cell-1"><cell_type>raw</cell_type>b</cell id="cell-1">',
      },
    ])
    expect((await opened([]).read()).content).toBe("(The notebook has no cells.)")
  })

  it("leaves out outputs that are too long, invalid images, and images beyond the limit", async () => {
    const output = (data: object) => ({ output_type: "display_data", data })
    const long = { ...CODE, outputs: [{ output_type: "stream", text: "x".repeat(20_000) }] }
    expect(JSON.stringify((await opened([long]).read()).content)).toContain("jq '.cells[0].outputs'")
    const odd = { ...CODE, outputs: [output({ "image/jpeg": "AAAA" }), output({ "image/png": 3 }), "x", null] }
    expect((await opened([odd]).read()).content).toHaveLength(1)
    const many = { ...CODE, outputs: Array.from({ length: 30 }, () => output({ "image/png": PNG })) }
    const { content } = await opened([many]).read()
    expect(Array.isArray(content) && content.filter(({ type }) => type === "image")).toHaveLength(20)
    // One request may have 32 MB: three such images and the rest would soon exceed that.
    const large = output({ "image/png": PNG.slice(0, 12).padEnd(4_000_000, "A"), "text/plain": "F" })
    const heavy = (await opened([{ ...CODE, outputs: [large, large, large] }]).read()).content
    expect(Array.isArray(heavy) && heavy.map((block) => (block.type === "text" ? block.text : block.type))).toEqual([
      expect.stringMatching(/F$/),
      "image",
      expect.stringMatching(/F$/),
      "image",
      expect.stringMatching(/F\n\[An image was left out/),
    ])
    const refused = await fails(
      readTool,
      { file_path: "a.ipynb" },
      opened([{ ...CODE, source: "y".repeat(300_000) }]).context,
    )
    expect(refused).toMatchObject({ reason: "command_failed", message: expect.stringContaining("jq '.cells[:20]'") })
  })

  it.each(["not json", "", "[]", "{}", '{"cells":3}', '{"cells":[1]}'])("refuses %j as no notebook", async (text) => {
    const { context, write } = opened()
    write(text)
    expect(await fails(readTool, { file_path: "a.ipynb" }, context)).toMatchObject({ reason: "command_failed" })
  })
})

describe("NotebookEdit", () => {
  it("replaces a cell's source and removes its outputs", async () => {
    const { edit, notebook, workspace } = opened()
    const before = workspace.readText("/workspace/a.ipynb")
    const { content, output } = await edit({ cell_id: "c1", new_source: "print(2)" })
    expect(content).toBe("Updated cell c1 with print(2)")
    expect(notebook()).toEqual({
      cells: [MARKDOWN, { ...CODE, source: "print(2)", execution_count: null, outputs: [] }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
      extra: { kept: true },
    })
    expect(output).toEqual({
      new_source: "print(2)",
      old_source: "print(1)",
      cell_type: "code",
      language: "python",
      edit_mode: "replace",
      cell_id: "c1",
      error: "",
      notebook_path: "/workspace/a.ipynb",
      original_file: before,
      updated_file: workspace.readText("/workspace/a.ipynb"),
    })
  })

  it("changes a cell's type into a valid cell of the other type", async () => {
    const { edit, notebook } = opened()
    await edit({ cell_id: "c1", new_source: "text", cell_type: "markdown" })
    expect(notebook().cells[1]).toEqual({ cell_type: "markdown", id: "c1", metadata: {}, source: "text" })
    await edit({ cell_id: "cell-0", new_source: "1", cell_type: "code" })
    expect(notebook().cells[0]).toEqual({
      ...MARKDOWN,
      cell_type: "code",
      source: "1",
      execution_count: null,
      outputs: [],
    })
  })

  it("inserts after a cell, or first, with a new id if cells have ids", async () => {
    const { edit, notebook } = opened()
    const after = await edit({ cell_id: "m1", new_source: "new", edit_mode: "insert", cell_type: "markdown" })
    const first = await edit({ new_source: "first", edit_mode: "insert", cell_type: "code" })
    const { cells } = notebook()
    expect(cells.map(({ source }: { source: unknown }) => source)).toEqual([
      "first",
      MARKDOWN.source,
      "new",
      "print(1)",
    ])
    expect(cells[0]).toEqual({
      cell_type: "code",
      id: expect.stringMatching(/^[0-9a-f]{8}$/),
      source: "first",
      metadata: {},
      execution_count: null,
      outputs: [],
    })
    expect(new Set(cells.map(({ id }: { id: string }) => id)).size).toBe(4)
    expect(first.output).toMatchObject({ cell_id: cells[0].id })
    expect(after.output).toMatchObject({ cell_id: cells[2].id, cell_type: "markdown" })
    expect(after.output).not.toHaveProperty("old_source")
    const old = opened([CODE], 4)
    const outcome = await old.edit({ cell_id: "cell-0", new_source: "x", edit_mode: "insert", cell_type: "code" })
    expect(outcome.content).toBe("Inserted a new cell with x")
    expect(outcome.output).not.toHaveProperty("cell_id")
    expect(old.notebook().cells[1]).not.toHaveProperty("id")
  })

  it("deletes a cell, and keeps the file's final newline", async () => {
    const { edit, notebook, workspace, write } = opened()
    write(`${workspace.readText("/workspace/a.ipynb")}\n`)
    const { content, output } = await edit({ cell_id: "m1", new_source: "", edit_mode: "delete" })
    expect(content).toBe("Deleted cell m1.")
    expect(output).toMatchObject({ old_source: "# T\nhello", edit_mode: "delete" })
    expect(notebook().cells).toEqual([CODE])
    expect(workspace.readText("/workspace/a.ipynb")).toMatch(/\}\n$/)
  })

  it.each([
    [{ edit_mode: "insert" }, "invalid_arguments", "cell_type"],
    [{}, "invalid_arguments", "cell_id"],
    [{ edit_mode: "delete" }, "invalid_arguments", "cell_id"],
    [{ cell_id: "nope" }, "not_found", '"nope"'],
    [{ cell_id: "cell-2" }, "not_found", "2 cells"],
    [{ cell_id: "c1", edit_mode: "wrong" }, "invalid_arguments", "edit_mode"],
    [{ cell_id: "c1", notebook_path: "b.txt" }, "invalid_arguments", "Edit"],
    [{ cell_id: "c1", notebook_path: "none.ipynb" }, "not_found", "none.ipynb"],
  ])("refuses %j as %s", async (input, reason, word) => {
    const { refusal, notebook } = opened()
    const refused = await refusal({ new_source: "x", ...input })
    expect(refused).toMatchObject({ reason, message: expect.stringContaining(word) })
    expect(notebook().cells).toEqual([MARKDOWN, CODE])
  })

  it("rejects a notebook that was not read", async () => {
    const { context } = opened()
    const input = { notebook_path: "a.ipynb", cell_id: "c1", new_source: "x" }
    expect((await fails(notebookEditTool, input, context)).message).toContain("has not been read")
  })

  it("allows consecutive edits without another read", async () => {
    const { edit, context, knownFiles, notebook } = opened()
    const { output } = await edit({ cell_id: "c1", new_source: "a" })
    knownFiles.learn(output, "/workspace")
    await runAndCommit(notebookEditTool, { notebook_path: "a.ipynb", cell_id: "c1", new_source: "b" }, context)
    expect(notebook().cells[1].source).toBe("b")
  })
})
