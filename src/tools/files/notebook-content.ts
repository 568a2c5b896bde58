// Receives the cells of a notebook; returns the content blocks for the model.
// Invariant: adjacent texts are one block, and every image is at the position of its output.
import type { NotebookCell } from "./notebook.ts"
import type { ToolResultBlock } from "../tool.ts"

const cellText = ({ cell_id, cellType, language, source }: NotebookCell): string => {
  const type = cellType === "code" ? "" : `<cell_type>${cellType}</cell_type>`
  const other = cellType === "code" && language !== undefined && language !== "python"
  return `<cell id="${cell_id}">${type}${other ? `<language>${language}</language>` : ""}${source}</cell id="${cell_id}">`
}

const cellBlocks = (cell: NotebookCell): ReadonlyArray<ToolResultBlock> => [
  { type: "text", text: cellText(cell) },
  ...(cell.outputs ?? []).flatMap(({ text = "", image }): ReadonlyArray<ToolResultBlock> => [
    ...(text === "" ? [] : [{ type: "text" as const, text: `\n${text}` }]),
    ...(image === undefined
      ? []
      : [
          {
            type: "image" as const,
            source: { type: "base64", media_type: image.media_type, data: image.image_data },
          },
        ]),
  ]),
]

export const notebookContent = (cells: ReadonlyArray<NotebookCell>): string | ReadonlyArray<ToolResultBlock> => {
  if (cells.length === 0) return "(The notebook has no cells.)"
  const merged: Array<ToolResultBlock> = []
  for (const block of cells.flatMap(cellBlocks)) {
    const last = merged.at(-1)
    if (block.type === "text" && last?.type === "text") {
      merged[merged.length - 1] = { type: "text", text: `${last.text}\n${block.text}` }
    } else merged.push(block)
  }
  return merged
}
