// The file tree and the open file next to it; only one of them if there is not enough room.
import { useSignal } from "@preact/signals"
import { messageOf } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { saveAs } from "../kit/save-as.ts"
import { visibleText } from "../kit/text/visible-text.ts"
import { droppedFiles } from "./upload/dropped.ts"
import { FileTree } from "./tree/file-tree.tsx"
import { FileView } from "./file/file-view.tsx"
import { ConfirmRequest, NameQuestion } from "./questions.tsx"
import { Toolbar } from "./toolbar.tsx"
import { joinPath, nameOf, parentOf } from "./tree/tree-model.ts"
import { UploadList } from "./upload/upload-list.tsx"
import type { WorkspaceFiles } from "./workspace-files.ts"

type Question =
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  | { readonly kind: "rename"; readonly path: string }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "discard"; readonly next: string | null }

interface Failure {
  readonly error: string
  readonly retry: () => void
}

interface PanelProps {
  readonly workspace: WorkspaceFiles
  /** The file name of the downloaded archive. */
  readonly name: string
}

export const FilesPanel = ({ workspace, name }: PanelProps) => {
  const question = useSignal<Question | null>(null)
  const failure = useSignal<Failure | null>(null)
  const busy = useSignal<string | null>(null)
  const isOver = useSignal(false)
  const file = workspace.opened.value
  const open = (path: string) => {
    if (!workspace.open(path)) question.value = { kind: "discard", next: path }
  }
  const leave = () => {
    if (file?.isDirty === true) question.value = { kind: "discard", next: null }
    else workspace.leave()
  }
  const run = async (what: string, action: () => Promise<unknown>) => {
    busy.value = what
    failure.value = null
    try {
      await action()
    } catch (cause) {
      failure.value = { error: messageOf(cause), retry: () => void run(what, action) }
    } finally {
      busy.value = null
    }
  }
  const download = async () =>
    saveAs(await new Response(await workspace.files.download({ path: workspace.cwd })).blob(), `${name}.tar.gz`)
  const upload = async (archive: File) => {
    const [first, second] = new Uint8Array(await archive.slice(0, 2).arrayBuffer())
    await workspace.files.upload(archive, { path: workspace.cwd, gzip: first === 0x1f && second === 0x8b })
    await workspace.load()
  }
  const drop = (transfer: DataTransfer) => {
    // The browser clears the items afterwards.
    const files = droppedFiles(transfer)
    void run("Reading what was dropped…", async () => {
      void workspace.uploads.add(await files, workspace.folder())
    })
  }
  return (
    <div
      class={["files-panel", file === null ? "" : "has-file", isOver.value ? "drop-over" : ""].join(" ")}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        const { dataTransfer } = event
        if (dataTransfer !== null) drop(dataTransfer)
      }}
    >
      <div class="files-side">
        <Toolbar
          workspace={workspace}
          busy={busy.value}
          onNew={(kind) => (question.value = kind === "file" ? { kind } : { kind })}
          onRemove={(path) => (question.value = { kind: "remove", path })}
          onDownload={() => void run("Downloading the archive…", download)}
          onArchive={(archive) => void run("Uploading the archive…", () => upload(archive))}
        />
        <ErrorText error={failure.value?.error ?? null} onRetry={failure.value?.retry} />
        <ErrorText unread="The files" error={workspace.error.value} onRetry={() => workspace.load()} />
        <UploadList uploads={workspace.uploads} />
        {workspace.rows.value.length === 0 && workspace.page.value !== null && !workspace.isLoading.value ? (
          <p class="empty">The workspace is empty. Drop files here, or ask the agent to make some.</p>
        ) : (
          <FileTree
            workspace={workspace}
            onOpen={open}
            onRemove={(path) => (question.value = { kind: "remove", path })}
          />
        )}
      </div>
      {file === null ? (
        <p class="empty file-none">Choose a file to see it.</p>
      ) : (
        <FileView
          key={file.path}
          workspace={workspace}
          file={file}
          onClose={leave}
          onRename={() => (question.value = { kind: "rename", path: file.path })}
          onRemove={() => (question.value = { kind: "remove", path: file.path })}
        />
      )}
      {question.value === null ? null : (
        <QuestionView workspace={workspace} question={question.value} onClose={() => (question.value = null)} />
      )}
    </div>
  )
}

interface QuestionProps {
  readonly workspace: WorkspaceFiles
  readonly question: Question
  readonly onClose: () => void
}

const QuestionView = ({ workspace, question, onClose }: QuestionProps) => {
  if (question.kind === "file" || question.kind === "folder") {
    const folder = workspace.folder()
    const isFile = question.kind === "file"
    const create = (name: string) => {
      const path = joinPath(folder, name.replace(/^\//, ""))
      return isFile ? workspace.createFile(path) : workspace.createFolder(path)
    }
    const title = isFile ? "New file" : "New folder"
    return (
      <NameQuestion
        title={title}
        label={`Name in ${visibleText(folder)}`}
        start=""
        action="Create"
        busy="Creating…"
        onName={create}
        onClose={onClose}
      />
    )
  }
  if (question.kind === "rename") {
    const { path } = question
    const rename = (name: string) => workspace.rename(path, joinPath(parentOf(path), name.replace(/^\//, "")))
    const label = `Name in ${visibleText(parentOf(path))}`
    return (
      <NameQuestion
        title="Rename"
        label={label}
        start={nameOf(path)}
        action="Rename"
        busy="Renaming…"
        onName={rename}
        onClose={onClose}
      />
    )
  }
  if (question.kind === "remove") {
    const { path } = question
    const text = `${visibleText(path)} will be deleted, with everything in it if it is a folder. A rewind to a checkpoint can bring it back only if it was there at that checkpoint.`
    return (
      <ConfirmRequest
        title={`Delete ${visibleText(nameOf(path))}?`}
        text={text}
        action="Delete"
        busy="Deleting…"
        onConfirm={() => workspace.remove(path)}
        onClose={onClose}
      />
    )
  }
  const discard = async () => {
    workspace.leave()
    if (question.next !== null) workspace.open(question.next)
  }
  return (
    <ConfirmRequest
      title="Discard your changes?"
      text="The open file has changes that are not saved."
      action="Discard"
      busy="Discarding…"
      onConfirm={discard}
      onClose={onClose}
    />
  )
}
