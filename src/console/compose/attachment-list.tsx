// The attachments of an unsent prompt, each with a button that removes it; and the button that adds attachments.
import { newUuid } from "../../client/api/new-uuid.ts"
import type { Signal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { bytes } from "../kit/format.ts"
import { visibleText } from "../kit/text/visible-text.ts"
import { attach, type Attachment } from "./attachments.ts"

type Attachments = Signal<ReadonlyArray<Attachment>>

const KINDS = { image: "image, in the prompt", pdf: "PDF, in the prompt", file: "file, into the workspace" }

export const addFiles = (attachments: Attachments, files: FileList | null | undefined): boolean => {
  if (files == null || files.length === 0) return false
  attachments.value = attach(attachments.value, [...files], newUuid)
  return true
}

export const AttachmentList = ({ attachments }: { readonly attachments: Attachments }) =>
  attachments.value.length === 0 ? null : (
    <ul class="attachments" aria-label="Attachments">
      {attachments.value.map(({ id, name, size, kind }) => (
        <li key={id}>
          <span class="queue-text">{visibleText(name)}</span>
          <span class="soft">
            {bytes(size)}, {KINDS[kind]}
          </span>
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => (attachments.value = attachments.value.filter((other) => other.id !== id))}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  )

export const AttachButton = ({ attachments }: { readonly attachments: Attachments }) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          addFiles(attachments, event.currentTarget.files)
          event.currentTarget.value = ""
        }}
      />
      <button type="button" onClick={() => input.current?.click()}>
        Attach…
      </button>
    </>
  )
}

/** Event handlers of an element that accepts dropped files. */
export const dropTarget = (attachments: Attachments) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault()
  },
  onDrop: (event: DragEvent) => {
    if (addFiles(attachments, event.dataTransfer?.files)) event.preventDefault()
  },
})

/** Event handlers of an element that accepts pasted files. */
export const pasteTarget = (attachments: Attachments) => ({
  onPaste: (event: ClipboardEvent) => {
    const types = event.clipboardData?.types ?? []
    // Copied table cells, for example, contain an additional picture: only their text is wanted.
    if (types.includes("text/plain") && types.includes("text/html")) return
    if (addFiles(attachments, event.clipboardData?.files)) event.preventDefault()
  },
})
