// Receives the document of a recording; returns the id in it.
// Invariant: only the beginning is parsed if it contains the metadata, as in documents of the server, which may have 128 MiB.
import { isPlainObject } from "../../../schemas/plain-object.ts"

const NO_RECORDING = "This file is no recording. Choose a document that was downloaded from a server of Perch."

/** Throws an Error with one sentence when the document has no id. */
export const documentId = async (document: Blob): Promise<string> => {
  const begin = await document.slice(0, 65_536).text()
  const metadata = /^\s*\{\s*"metadata"\s*:\s*(\{.*\})\s*,\s*\n/.exec(begin)?.[1]
  const id = metadata === undefined ? idIn(fieldOf(parsed(await document.text()), "metadata")) : idIn(parsed(metadata))
  if (id === undefined) throw new Error(NO_RECORDING)
  return id
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldOf = (value: unknown, name: string): unknown => (isPlainObject(value) ? value[name] : undefined)

const idIn = (metadata: unknown): string | undefined => {
  const id = fieldOf(metadata, "id")
  return typeof id === "string" && id !== "" ? id : undefined
}
