// Files that were dropped, pasted or chosen for a prompt: decides which become part of the prompt, and which go to the workspace.
// Invariant: a file that the Messages API would reject for its type or size becomes a workspace file that the prompt mentions.
import type { Prompt } from "../../client/api/session-shapes.ts"
import { mentionOf } from "./completions.ts"

export interface Attachment {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly kind: "image" | "pdf" | "file"
  readonly file: Blob
}

interface FileFacts {
  readonly name: string
  readonly type: string
  readonly size: number
}

const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
/** Maximum bytes of one image in a prompt. */
const IMAGE_LIMIT = 5 * 1024 * 1024
/** Maximum bytes of all attachments in one prompt: base64 adds a third, and a request has at most 20 MiB. */
const PROMPT_LIMIT = 14 * 1024 * 1024

/** The kind of attachment for a file; the prompt already has `used` bytes of attachments. */
export const kindOf = ({ type, size }: FileFacts, used: number): Attachment["kind"] => {
  if (used + size > PROMPT_LIMIT) return "file"
  if (IMAGES.has(type)) return size <= IMAGE_LIMIT ? "image" : "file"
  return type === "application/pdf" ? "pdf" : "file"
}

/** A file name that is a single path segment, that a prompt can mention, and that no other attachment has. */
export const fileName = (name: string, taken: ReadonlySet<string>): string => {
  const plain =
    name
      .replace(/^.*[/\\]/, "")
      .replace(/[\p{Cc}\s"`]+/gu, "-")
      .replace(/^\.+$/, "") || "file"
  if (!taken.has(plain)) return plain
  const dot = plain.lastIndexOf(".")
  const [stem, end] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, ""]
  for (let number = 2; ; number += 1) {
    const next = `${stem}-${number}${end}`
    if (!taken.has(next)) return next
  }
}

export const attach = (
  known: ReadonlyArray<Attachment>,
  files: ReadonlyArray<File>,
  newId: () => string,
): ReadonlyArray<Attachment> =>
  files.reduce<ReadonlyArray<Attachment>>((all, file) => {
    const used = all.reduce((sum, { kind, size }) => (kind === "file" ? sum : sum + size), 0)
    const name = fileName(file.name, new Set(all.map((other) => other.name)))
    return [...all, { id: newId(), name, size: file.size, kind: kindOf(file, used), file }]
  }, known)

/** The folder for files of prompts, below the working directory. */
export const FOLDER = "uploads"

/** The text with mentions of the files that were uploaded for it. */
export const withMentions = (text: string, attachments: ReadonlyArray<Attachment>): string => {
  const mentions = attachments.filter(({ kind }) => kind === "file").map(({ name }) => mentionOf(`${FOLDER}/${name}`))
  return [text, mentions.join(" ")].filter((part) => part !== "").join("\n\n")
}

const blockOf = ({ kind, file, name }: Attachment, data: string) =>
  kind === "image"
    ? { type: "image", source: { type: "base64", media_type: file.type, data } }
    : { type: "document", title: name, source: { type: "base64", media_type: "application/pdf", data } }

/** The prompt to send: its attachments, then its text. `data` reads an attachment as base64. */
export const promptOf = async (
  text: string,
  attachments: ReadonlyArray<Attachment>,
  data: (file: Blob) => Promise<string>,
): Promise<Prompt> => {
  const words = withMentions(text, attachments)
  const inside = attachments.filter(({ kind }) => kind !== "file")
  if (inside.length === 0) return words
  const blocks = await Promise.all(inside.map(async (one) => blockOf(one, await data(one.file))))
  return words === "" ? blocks : [...blocks, { type: "text", text: words }]
}

/** Restores the attachments from a prompt, when it is edited again. */
export const attachmentsIn = (prompt: Prompt, newId: () => string): ReadonlyArray<Attachment> => {
  if (typeof prompt === "string") return []
  return prompt.flatMap((block, index): ReadonlyArray<Attachment> => {
    const { source } = block
    if (typeof source !== "object" || source === null || !("data" in source) || typeof source.data !== "string")
      return []
    const type = "media_type" in source && typeof source.media_type === "string" ? source.media_type : ""
    const bytes = Uint8Array.from(atob(source.data), (character) => character.charCodeAt(0))
    const title = typeof block["title"] === "string" ? block["title"] : `${block.type}-${index + 1}`
    const kind = block.type === "image" ? "image" : "pdf"
    return [{ id: newId(), name: title, size: bytes.length, kind, file: new Blob([bytes], { type }) }]
  })
}
