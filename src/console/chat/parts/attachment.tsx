// Files of a message: images as pictures, other files as links that save their content, mentions as labels.
// Invariant: only addresses with an image type that can't run scripts are shown as images.
import type { Part } from "../../store/frames.ts"
import { bytes } from "../../kit/format.ts"
import { attachmentView } from "./attachment-view.ts"

export const Attachment = ({ part }: { readonly part: Readonly<Record<string, unknown>> }) => {
  const view = attachmentView(part)
  if (view.kind === "image")
    return (
      <figure class="image">
        <img src={view.url} alt={view.name === "" ? "Image" : view.name} decoding="async" />
      </figure>
    )
  if (view.kind === "link")
    return (
      <p>
        <a href={view.url} rel="noopener noreferrer" target="_blank">
          {view.name}
        </a>{" "}
        <span class="soft">{view.mime}</span>
      </p>
    )
  const label = (
    <>
      {view.kind === "mention" ? "@" : "📎 "}
      {view.name}
      {view.size === null ? null : <span class="soft"> {bytes(view.size)}</span>}
    </>
  )
  if (view.url === "")
    return (
      <span class="chip" title={view.mime}>
        {label}
      </span>
    )
  // Browsers open no document at such an address: they only save it.
  return (
    <a class="chip" title={`Save the file (${view.mime})`} href={view.url} download={view.name.replaceAll("/", ".")}>
      {label}
    </a>
  )
}

/** An agent that a prompt mentions. */
export const Mention = ({ part }: { readonly part: Part }) => (
  <span class="chip">@{String((part as { readonly name?: unknown }).name ?? "agent")}</span>
)
