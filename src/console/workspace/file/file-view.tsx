// The open file: an editor, an image, a part of a large file, or its first bytes; with its actions.
import { useSignal } from "@preact/signals"
import { messageOf } from "../../app/server.ts"
import { ErrorText } from "../../kit/error-text.tsx"
import { bytes } from "../../kit/format.ts"
import { lazy } from "../../kit/lazy.tsx"
import { saveAs } from "../../kit/save-as.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import { Conflict } from "./conflict.tsx"
import { isDirty } from "./draft.ts"
import { hexRows, PART } from "./file-content.ts"
import type { OpenFile } from "./open-file.ts"
import { nameOf } from "../tree/tree-model.ts"
import type { WorkspaceFiles } from "../workspace-files.ts"

const Editor = lazy(() => import("./editor.tsx").then((module) => module.Editor))

interface FileProps {
  readonly workspace: WorkspaceFiles
  readonly file: OpenFile
  readonly onClose: () => void
  readonly onRename: () => void
  readonly onRemove: () => void
}

export const FileView = ({ workspace, file, onClose, onRename, onRemove }: FileProps) => {
  const failure = useSignal<string | null>(null)
  const { kind } = file.content.value
  const draft = file.draft.value
  const isEdited = kind === "text" && isDirty(draft)
  const download = async () => {
    failure.value = null
    try {
      saveAs(await (await workspace.files.open(file.path)).blob(), nameOf(file.path))
    } catch (error) {
      failure.value = messageOf(error)
    }
  }
  return (
    <section class="file-view" aria-label={`File ${file.path}`}>
      <header class="file-head">
        <button class="file-back" onClick={onClose}>
          ← Files
        </button>
        <h2 title={visibleText(file.path)}>
          {visibleText(nameOf(file.path))}
          {isEdited ? <span class="badge">not saved</span> : null}
        </h2>
        <div class="actions">
          {kind === "text" ? (
            <button class="primary" disabled={!isEdited || file.isSaving.value} onClick={() => void file.save()}>
              {file.isSaving.value ? "Saving…" : "Save"}
            </button>
          ) : null}
          <SourceSwitch file={file} isEdited={isEdited} />
          <button disabled={kind === "missing"} onClick={() => void download()}>
            Download
          </button>
          <button disabled={kind === "missing" || isEdited} onClick={onRename}>
            Rename…
          </button>
          <button class="danger" onClick={onRemove}>
            Delete…
          </button>
          <button class="file-close" onClick={onClose}>
            Close
          </button>
        </div>
      </header>
      <ErrorText error={failure.value} onRetry={download} />
      <ErrorText error={file.error.value} onRetry={() => (isEdited ? file.save() : file.load())} />
      {kind === "text" && draft.theirs !== null ? <Conflict file={file} draft={draft} theirs={draft.theirs} /> : null}
      <FileContent file={file} />
    </section>
  )
}

/** One button for both directions, so that it keeps the focus. */
const SourceSwitch = ({ file, isEdited }: { readonly file: OpenFile; readonly isEdited: boolean }) => {
  const isSource = file.isSource.value && file.content.value.kind === "text"
  if (!isSource && !file.hasSource) return null
  return (
    <button disabled={isEdited} onClick={() => file.showSource(!isSource)}>
      {isSource ? "Show the image" : "Edit the text"}
    </button>
  )
}

const FileContent = ({ file }: { readonly file: OpenFile }) => {
  const content = file.content.value
  switch (content.kind) {
    case "loading":
      return file.error.value === null ? (
        <p class="loading" role="status">
          Loading…
        </p>
      ) : null
    case "missing":
      return <p class="empty">This file is not in the workspace any more.</p>
    case "text":
      return (
        <Editor
          path={file.path}
          text={file.draft.value.text}
          version={file.replaced.value}
          onChange={(text: string) => file.edit(text)}
          onSave={() => void file.save()}
        />
      )
    case "image":
      return (
        <figure class="file-image">
          <img src={content.url} alt={nameOf(file.path)} onError={() => file.showUndecoded()} />
          <figcaption>{bytes(content.size)}</figcaption>
        </figure>
      )
    case "binary":
      return (
        <div class="file-bytes">
          <p>{bytes(content.size)} that are no text. Its first bytes:</p>
          <pre tabIndex={0} aria-label="First bytes in hexadecimal">
            {hexRows(content.head).map(({ offset, hex, text }) => `${offset}  ${hex.padEnd(47)}  ${text}\n`)}
          </pre>
        </div>
      )
    case "part": {
      const { start, end, size } = content
      return (
        <>
          <p class="file-parts">
            <button disabled={start === 0} onClick={() => void file.loadPart(Math.max(start - PART, 0))}>
              Previous part
            </button>
            <button disabled={end >= size} onClick={() => void file.loadPart(end)}>
              Next part
            </button>
            <span role="status">
              {bytes(start)} to {bytes(end)} of {bytes(size)}; a file this large can be read here, not edited.
            </span>
          </p>
          <Editor key={start} path={file.path} text={content.text} version={file.replaced.value} isReadOnly />
        </>
      )
    }
  }
}
