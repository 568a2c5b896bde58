// The file tree and the open file next to it; only one of them if there is not enough room.
import { useSignal } from "@preact/signals"
import { messageOf } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { saveAs } from "../kit/save-as.ts"
import { droppedFiles } from "./upload/dropped.ts"
import { FileTree } from "./tree/file-tree.tsx"
import { FileView } from "./file/file-view.tsx"
import { Toolbar } from "./toolbar.tsx"
import { UploadList } from "./upload/upload-list.tsx"
import type { WorkspaceFiles } from "./workspace-files.ts"
import { type Question, WorkspaceQuestion } from "./workspace-question.tsx"

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
  const action = useAction()
  const isOver = useSignal(false)
  const file = workspace.opened.value
  const open = (path: string) => {
    if (!workspace.open(path)) question.value = { kind: "discard", next: path }
  }
  const leave = () => {
    if (file?.isDirty === true) question.value = { kind: "discard", next: null }
    else workspace.leave()
  }
  const remove = (path: string) => (question.value = { kind: "remove", path })
  const drop = (transfer: DataTransfer) => {
    // The browser clears the items afterwards.
    const files = droppedFiles(transfer)
    void action.run("Reading what was dropped…", async () => {
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
          busy={action.busy}
          onNew={(kind) => (question.value = kind === "file" ? { kind } : { kind })}
          onRemove={remove}
          onDownload={() => void action.run("Downloading the archive…", () => download(workspace, name))}
          onArchive={(archive) => void action.run("Uploading the archive…", () => upload(workspace, archive))}
        />
        <ErrorText error={action.failure?.error ?? null} onRetry={action.failure?.retry} />
        <ErrorText unread="The files" error={workspace.error.value} onRetry={() => workspace.load()} />
        <UploadList uploads={workspace.uploads} />
        {workspace.rows.value.length === 0 && workspace.page.value !== null && !workspace.isLoading.value ? (
          <p class="empty">The workspace is empty. Drop files here, or ask the agent to make some.</p>
        ) : (
          <FileTree workspace={workspace} onOpen={open} onRemove={remove} />
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
          onRemove={() => remove(file.path)}
        />
      )}
      {question.value === null ? null : (
        <WorkspaceQuestion workspace={workspace} question={question.value} onClose={() => (question.value = null)} />
      )}
    </div>
  )
}

/** Runs the panel's actions: the text about the running one, and the error of the last one with a function that retries it. */
const useAction = () => {
  const busy = useSignal<string | null>(null)
  const failure = useSignal<Failure | null>(null)
  const run = async (text: string, action: () => Promise<unknown>) => {
    busy.value = text
    failure.value = null
    try {
      await action()
    } catch (cause) {
      failure.value = { error: messageOf(cause), retry: () => void run(text, action) }
    } finally {
      busy.value = null
    }
  }
  return { busy: busy.value, failure: failure.value, run }
}

const download = async ({ files, cwd }: WorkspaceFiles, name: string) =>
  saveAs(await new Response(await files.download({ path: cwd })).blob(), `${name}.tar.gz`)

const upload = async (workspace: WorkspaceFiles, archive: File) => {
  const [first, second] = new Uint8Array(await archive.slice(0, 2).arrayBuffer())
  const isGzip = first === 0x1f && second === 0x8b
  await workspace.files.upload(archive, { path: workspace.cwd, gzip: isGzip })
  await workspace.load()
}
