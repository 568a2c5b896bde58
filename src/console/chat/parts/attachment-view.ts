// Receives a file part; returns the way in which it is shown.
import { base64Size } from "../../../schemas/base64-size.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import { safeLink } from "../markdown/safe-link.ts"

const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,/

export interface AttachmentView {
  readonly kind: "image" | "link" | "mention" | "file"
  readonly name: string
  readonly mime: string
  /** Of an image or a link; of a file, the `data:` URL of its content, or "" if only its name is known. */
  readonly url: string
  /** Size in bytes; null if it is unknown. */
  readonly size: number | null
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

export const attachmentView = (part: Readonly<Record<string, unknown>>): AttachmentView => {
  const view = viewOf(part)
  return { ...view, name: visibleText(view.name) }
}

const viewOf = (part: Readonly<Record<string, unknown>>): AttachmentView => {
  const [mime, url, filename] = [text(part["mime"]), text(part["url"]), text(part["filename"])]
  if (IMAGE.test(url)) return { kind: "image", name: filename, mime, url, size: null }
  // The server sets it for files and resources only, as an object.
  const source = part["source"] as { readonly path?: unknown; readonly uri?: unknown } | undefined
  if (source !== undefined) {
    const name = text(source.path) || text(source.uri) || filename
    return { kind: "mention", name, mime, url: "", size: null }
  }
  const link = safeLink(url)
  if (link !== null) return { kind: "link", name: filename || link, mime, url: link, size: null }
  const comma = url.indexOf(",")
  const isData = url.startsWith("data:") && comma > 0
  const size = !isData ? null : url.slice(0, comma).endsWith(";base64") ? base64Size(url.slice(comma + 1)) : null
  return {
    kind: "file",
    name: filename || (url.startsWith("file_id:") ? url.slice(8) : mime || "file"),
    mime,
    url: isData ? url : "",
    size,
  }
}
