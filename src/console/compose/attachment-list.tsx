// The attachments of an unsent prompt, each with a button that removes it; and the button that adds attachments.
import { newUuid } from "../../client/api/new-uuid.ts"
import type { Signal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { bytes } from "../kit/format.ts"
import { visibleText } from "../kit/text/visible-text.ts"
import { attach, type Attachment } from "./attachments.ts"

type Attachments = Signal<ReadonlyArray<Attachment>>

/** An unsent prompt: what is attached to it, and why something is not. */
interface Target {
  readonly attachments: Attachments
  readonly error: Signal<string | null>
}

const KINDS = { image: "image, in the prompt", pdf: "PDF, in the prompt", file: "file, into the workspace" }

/** Attaches dropped or pasted files; returns false if there are none. A folder, which the browser lists as a file, is refused. */
const addFrom = ({ attachments, error }: Target, transfer: DataTransfer | null): boolean => {
  const files = [...(transfer?.files ?? [])]
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === "file")
  const plain = files.filter((_file, index) => items[index]?.webkitGetAsEntry()?.isDirectory !== true)
  if (plain.length < files.length) {
    error.value = "A folder can't be attached to a prompt. Drop it on the screen Files of the session."
  }
  attachments.value = attach(attachments.value, plain, newUuid)
  return files.length > 0
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
          attachments.value = attach(attachments.value, [...(event.currentTarget.files ?? [])], newUuid)
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
export const dropTarget = (target: Target) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault()
  },
  onDrop: (event: DragEvent) => {
    if (addFrom(target, event.dataTransfer)) event.preventDefault()
  },
})

/** Event handlers of an element that accepts pasted files. */
export const pasteTarget = (target: Target) => ({
  onPaste: (event: ClipboardEvent) => {
    const types = event.clipboardData?.types ?? []
    // Copied table cells, for example, contain an additional picture: only their text is wanted.
    if (types.includes("text/plain") && types.includes("text/html")) return
    if (addFrom(target, event.clipboardData)) event.preventDefault()
  },
})
