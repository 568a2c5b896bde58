// The actions of the workspace: new files and folders, uploads, archives.
import { useRef } from "preact/hooks"
import { bytes, count } from "../kit/format.ts"
import { Menu } from "../kit/menu.tsx"
import { chosenFiles } from "./upload/dropped.ts"
import type { WorkspaceFiles } from "./workspace-files.ts"

export interface ToolbarProps {
  readonly workspace: WorkspaceFiles
  readonly onNew: (kind: "file" | "folder") => void
  readonly onRemove: (path: string) => void
  readonly onDownload: () => void
  readonly onArchive: (archive: File) => void
  /** The running action; null when there is none. */
  readonly busy: string | null
}

export const Toolbar = ({ workspace, onNew, onRemove, onDownload, onArchive, busy }: ToolbarProps) => {
  const filesInput = useRef<HTMLInputElement>(null)
  const folderInput = useRef<HTMLInputElement>(null)
  const archiveInput = useRef<HTMLInputElement>(null)
  const active = workspace.active.value
  const addUploads = (input: HTMLInputElement) => {
    void workspace.uploads.add(chosenFiles(input), workspace.folder())
    input.value = ""
  }
  return (
    <header class="files-head">
      <div class="actions">
        <Menu
          label="New"
          isNamed
          actions={() => [
            { label: "New file…", run: () => onNew("file") },
            { label: "New folder…", run: () => onNew("folder") },
          ]}
        />
        <Menu
          label="Upload"
          isNamed
          actions={() => [
            { label: "Files…", run: () => filesInput.current?.click() },
            { label: "A folder…", run: () => folderInput.current?.click() },
            ...(busy === null
              ? [{ label: "An archive (.tar, .tar.gz)…", run: () => archiveInput.current?.click() }]
              : []),
          ]}
        />
        <button disabled={busy !== null} onClick={onDownload} title="All files as an archive">
          Download all
        </button>
        <button disabled={active === null} onClick={() => active !== null && onRemove(active)}>
          Delete…
        </button>
      </div>
      <WorkspaceFacts workspace={workspace} busy={busy} />
      <input
        ref={filesInput}
        type="file"
        hidden
        multiple
        aria-label="Files to upload"
        onChange={(event) => addUploads(event.currentTarget)}
      />
      <input
        ref={(input) => {
          folderInput.current = input
          if (input !== null) input.webkitdirectory = true
        }}
        type="file"
        hidden
        aria-label="Folder to upload"
        onChange={(event) => addUploads(event.currentTarget)}
      />
      <input
        ref={archiveInput}
        type="file"
        hidden
        accept=".tar,.gz,.tgz,application/x-tar,application/gzip"
        aria-label="Archive to upload"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file !== undefined) onArchive(file)
          currentTarget.value = ""
        }}
      />
    </header>
  )
}

/** The running action, otherwise how full the workspace is; and the button that reads it again. */
const WorkspaceFacts = ({ workspace, busy }: Pick<ToolbarProps, "workspace" | "busy">) => {
  const page = workspace.page.value
  const isLoading = workspace.isLoading.value
  const usage =
    page === null
      ? null
      : `${count(page.used.files)} of ${count(page.limits.files)} entries · ${bytes(page.used.bytes)} of ${bytes(page.limits.bytes)}`
  return (
    <p class="facts">
      <span role="status">{busy ?? usage ?? (isLoading ? "Loading…" : "")}</span>
      <button
        class="quiet"
        aria-label="Refresh"
        title="Refresh"
        disabled={isLoading}
        onClick={() => void workspace.load()}
      >
        ↻
      </button>
    </p>
  )
}
