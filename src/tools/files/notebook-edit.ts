// NotebookEdit: receives a notebook, a cell and its new source; the commit replaces, inserts or deletes the cell.
// Invariant: everything else in the notebook stays unchanged, and the result is a valid notebook.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { NotebookEditInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import { NotebookEditOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { contentHash } from "../../workspace/blobs.ts"
import { hasNul, isText, markedAs, textOf, withPlainEnds } from "../../workspace/file-text.ts"
import { normalizePath } from "../../workspace/paths.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { commitChanges, fail, fileMissing, mustBeAllowed, mustBeKnown, notText, onWorkspace } from "./file-access.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { makeTool } from "../make-tool.ts"
import { joinedText, type Json, type Notebook, parseNotebook } from "./notebook.ts"
import type { ToolContext } from "../tool.ts"

interface Edited {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly language: string
  /** The cell's previous source; absent for an insert. */
  readonly oldSource?: string
  /** Absent for a new cell of an old notebook, whose cells have no ids. */
  readonly cellId?: string
}

const encoder = new TextEncoder()

/** Cells have ids since format 4.5. */
const hasIds = ({ raw }: Notebook): boolean => {
  const { nbformat, nbformat_minor: minor } = raw
  return typeof nbformat === "number" && (nbformat > 4 || (nbformat === 4 && typeof minor === "number" && minor >= 5))
}

/** The index of the cell with this id, which may also be `cell-N` for the cell with index N. Throws `not_found`. */
const placeOf = ({ cells }: Notebook, id: string): number => {
  const own = cells.findIndex((cell) => cell["id"] === id)
  if (own !== -1) return own
  const place = Number(/^cell-(\d{1,9})$/.exec(id)?.[1] ?? Number.NaN)
  if (place < cells.length) return place
  return fail("not_found", `There is no cell ${JSON.stringify(id)} in this notebook of ${cells.length} cells.`)
}

/** Generates an id that the notebook does not have yet; the same call always generates the same id. */
const newId = ({ cells }: Notebook, seed: string): string => {
  const taken = new Set(cells.map((cell) => cell["id"]))
  for (let count = 0; ; count += 1) {
    const id = contentHash(encoder.encode(`${seed} ${count}`)).slice(0, 8)
    if (!taken.has(id)) return id
  }
}

/** The fields that only code cells have, for a source that was not run yet. */
const NOT_RUN = { execution_count: null, outputs: [] }

const replaced = (cell: Json, source: string, type: NotebookEditInput["cell_type"]): Json => {
  const { execution_count: _count, outputs: _outputs, ...rest } = cell
  const isCode = (type ?? cell["cell_type"]) === "code"
  return { ...(isCode ? { ...cell, ...NOT_RUN } : rest), ...(type === undefined ? {} : { cell_type: type }), source }
}

const inserted = (id: string | undefined, source: string, type: NotebookEditInput["cell_type"]): Json => ({
  cell_type: type,
  ...(id === undefined ? {} : { id }),
  source,
  metadata: {},
  ...(type === "code" ? NOT_RUN : {}),
})

/** Computes the edit without applying it; throws ToolError or WorkspaceError. */
const work = (workspace: Workspace, input: NotebookEditInput, context: ToolContext): Edited => {
  const path = normalizePath(input.notebook_path, context.cwd)
  const { edit_mode: mode = "replace", cell_id: cellId, cell_type: type, new_source: source } = input
  if (!path.toLowerCase().endsWith(".ipynb")) {
    fail("invalid_arguments", `${path} is not a notebook (.ipynb). Use Edit for other files.`)
  }
  if (mode === "insert" && type === undefined) fail("invalid_arguments", "An insert needs cell_type: code or markdown.")
  if (mode !== "insert" && cellId === undefined) fail("invalid_arguments", `To ${mode} a cell, give its cell_id.`)
  if (!workspace.exists(path)) throw fileMissing(path, context.cwd)
  const bytes = workspace.readBytes(path)
  mustBeKnown(path, context)
  if (!isText(bytes) || hasNul(bytes)) throw notText(path)
  const notebook = parseNotebook(bytes)
  if ("broken" in notebook) return fail("command_failed", `${path} is not a valid notebook: ${notebook.broken}.`)
  const { raw, cells, language } = notebook
  const before = textOf(bytes)
  const written = (next: ReadonlyArray<Json>): string => {
    const text = JSON.stringify({ ...raw, cells: next }, null, 1) + (before.endsWith("\n") ? "\n" : "")
    return markedAs(before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text, bytes)
  }
  if (mode === "insert") {
    const place = cellId === undefined ? 0 : placeOf(notebook, cellId) + 1
    const id = hasIds(notebook) ? newId(notebook, context.toolUseId) : undefined
    const after = written(cells.toSpliced(place, 0, inserted(id, source, type)))
    return { path, before, after, language, ...(id === undefined ? {} : { cellId: id }) }
  }
  const place = placeOf(notebook, cellId ?? "")
  const cell = cells[place] ?? {}
  const next = mode === "delete" ? cells.toSpliced(place, 1) : cells.with(place, replaced(cell, source, type))
  return { path, before, after: written(next), language, oldSource: joinedText(cell["source"]), cellId: cellId ?? "" }
}

const isOutput = Schema.is(NotebookEditOutput)

const asText = ({ edit_mode: mode, cell_id: cellId, new_source: source }: NotebookEditOutput): string => {
  const cell = cellId === undefined ? "a new cell" : `cell ${cellId}`
  if (mode === "delete") return `Deleted ${cell}.`
  return mode === "insert" ? `Inserted ${cell} with ${source}` : `Updated ${cell} with ${source}`
}

export const notebookEditTool = makeTool(NotebookEditInput, {
  name: "NotebookEdit",
  description:
    "Changes one cell of a Jupyter notebook, which must have been read first: replaces its source with `new_source` " +
    "(and removes its outputs), inserts a new cell after `cell_id`, or deletes it, depending on `edit_mode`. `cell_id` is " +
    "an id that Read shows, or `cell-0`, `cell-1` … by position.",
  readOnly: () => false,
  edits: () => true,
  hasOutsideEffects: () => false,
  destructive: true,
  idempotent: false,
  paths: (input, cwd) => [touchedPath(input.notebook_path, cwd)],
  validate: (input, context) => Effect.asVoid(onWorkspace(context, (workspace) => work(workspace, input, context))),
  run: (input, context) =>
    onWorkspace(context, (workspace) => {
      mustBeAllowed("change", normalizePath(input.notebook_path, context.cwd), context)
      const { path, before, after, language, oldSource, cellId } = work(workspace, input, context)
      const { change } = workspace.prepareWrite(path, encoder.encode(after))
      const mode = input.edit_mode ?? "replace"
      const output: NotebookEditOutput = {
        new_source: input.new_source,
        ...(oldSource === undefined ? {} : { old_source: oldSource }),
        cell_type: input.cell_type ?? "code",
        language,
        edit_mode: mode,
        ...(cellId === undefined ? {} : { cell_id: cellId }),
        error: "",
        notebook_path: path,
        original_file: withPlainEnds(before),
        updated_file: withPlainEnds(after),
      }
      return {
        content: asText(output),
        output,
        commit: () => commitChanges(context, [change]),
      }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})
