// Receives the bytes of a Jupyter notebook; returns its cells as Read shows them.
// Invariant: unknown fields stay unchanged in the parsed notebook, so that it can be written back.
import { boundsOfJson } from "../../schemas/bounded-json.ts"
import { hasTooManyPixels } from "../../schemas/image-size.ts"
import { MAX_IMAGES as MAX_ALL_IMAGES } from "../image-blocks.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

export type Json = Record<string, unknown>

/** A notebook as it is in its file; `cells` are the same objects as in `raw`. */
export interface Notebook {
  readonly raw: Json
  readonly cells: Array<Json>
  readonly language: string
}

export interface NotebookImage {
  readonly image_data: string
  readonly media_type: "image/png" | "image/jpeg"
}

export interface NotebookOutput {
  readonly output_type: string
  readonly text?: string
  readonly image?: NotebookImage
}

/** A cell in the SDK's form. */
export interface NotebookCell {
  readonly cellType: string
  readonly source: string
  readonly execution_count?: number
  readonly cell_id: string
  readonly language?: string
  readonly outputs?: ReadonlyArray<NotebookOutput>
}

/** The most characters of the outputs of one cell. */
const MAX_OUTPUT_CHARACTERS = 10_000
/** The Messages API accepts images up to 5 MB of base64. */
const MAX_IMAGE_CHARACTERS = 5_000_000
const MAX_IMAGES = 20

const MAGIC = { "image/png": "iVBORw0KGgo", "image/jpeg": "/9j/" } as const

const decoder = new TextDecoder("utf-8", { ignoreBOM: false, fatal: false })

/** Parses a notebook; returns the reason when the bytes are none. */
export const parseNotebook = (bytes: Uint8Array): Notebook | { readonly broken: string } => {
  let raw: unknown
  try {
    const text = decoder.decode(bytes)
    const bounds = boundsOfJson(text)
    if (bounds?.fault === "depth") return { broken: `it ${bounds.message}` }
    raw = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError)
      return { broken: "it is not valid JSON; it may be truncated or only partly written" }
    throw error
  }
  if (!isPlainObject(raw)) return { broken: "it is not a JSON object" }
  const { cells, metadata } = raw
  if (!Array.isArray(cells) || !cells.every(isPlainObject)) return { broken: "it has no list of cells" }
  const info = isPlainObject(metadata) ? metadata["language_info"] : undefined
  const language = isPlainObject(info) && typeof info["name"] === "string" ? info["name"] : "python"
  return { raw, cells, language }
}

/** Joins a source or output, which is a text or a list of pieces. */
export const joinedText = (value: unknown): string => {
  if (typeof value === "string") return value
  return Array.isArray(value) ? value.filter((piece) => typeof piece === "string").join("") : ""
}

/** The id of a cell: its own, or `cell-N` with its index from 0. */
const idOf = (cell: Json, index: number): string =>
  typeof cell["id"] === "string" && cell["id"] !== "" ? cell["id"] : `cell-${index}`

export const cellsOf = ({ cells, language }: Notebook): ReadonlyArray<NotebookCell> => {
  let images = 0
  let characters = 0
  const limited = (image: NotebookImage | null): NotebookImage | null => {
    if (image === null || images >= MAX_IMAGES) return null
    if (characters + image.image_data.length > MAX_ALL_IMAGES) return null
    images += 1
    characters += image.image_data.length
    return image
  }
  return cells.map((cell, index) => {
    const cellType = typeof cell["cell_type"] === "string" ? cell["cell_type"] : "code"
    const count = cell["execution_count"]
    const outputs = cellType === "code" ? outputsOf(cell["outputs"], index, limited) : []
    return {
      cellType,
      source: joinedText(cell["source"]),
      ...(cellType === "code" && typeof count === "number" ? { execution_count: count } : {}),
      cell_id: idOf(cell, index),
      ...(cellType === "code" ? { language } : {}),
      ...(outputs.length === 0 ? {} : { outputs }),
    }
  })
}

type Limited = (image: NotebookImage | null) => NotebookImage | null

const outputsOf = (outputs: unknown, index: number, limited: Limited): ReadonlyArray<NotebookOutput> => {
  if (!Array.isArray(outputs)) return []
  const shown = outputs.filter(isPlainObject).map((output) => shownOutput(output, limited))
  const characters = shown.reduce((sum, { text = "" }) => sum + text.length, 0)
  if (characters <= MAX_OUTPUT_CHARACTERS) return shown
  const text = `The outputs of this cell are too long to show. Read them with Bash: jq '.cells[${index}].outputs' < the notebook`
  return [{ output_type: "stream", text }]
}

const shownOutput = (output: Json, limited: Limited): NotebookOutput => {
  const type = typeof output["output_type"] === "string" ? output["output_type"] : "unknown"
  if (type === "stream") return { output_type: type, text: joinedText(output["text"]) }
  if (type === "error") {
    const { ename, evalue, traceback } = output
    const trace = Array.isArray(traceback) ? traceback.map(String).join("\n") : ""
    return { output_type: type, text: `${String(ename ?? "")}: ${String(evalue ?? "")}\n${trace}` }
  }
  const data = isPlainObject(output["data"]) ? output["data"] : {}
  const image = limited(imageOf(data))
  const text = joinedText(data["text/plain"])
  if (image !== null) return { output_type: type, text, image }
  return { output_type: type, text: hasPicture(data) ? `${text}${text === "" ? "" : "\n"}${LEFT_OUT}` : text }
}

const LEFT_OUT = "[An image was left out: it can't be shown, or the notebook has too many]"

const hasPicture = (data: Json): boolean =>
  joinedText(data["image/png"]) !== "" || joinedText(data["image/jpeg"]) !== ""

/** The image of an output, if the Messages API accepts it. */
const imageOf = (data: Json): NotebookImage | null => {
  for (const media_type of ["image/png", "image/jpeg"] as const) {
    const image_data = joinedText(data[media_type]).replace(/\s/g, "")
    if (
      image_data.startsWith(MAGIC[media_type]) &&
      image_data.length <= MAX_IMAGE_CHARACTERS &&
      !hasTooManyPixels(image_data)
    ) {
      return { image_data, media_type }
    }
  }
  return null
}
