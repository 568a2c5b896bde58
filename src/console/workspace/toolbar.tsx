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
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const archive = useRef<HTMLInputElement>(null)
  const page = workspace.page.value
  const active = workspace.active.value
  const take = (input: HTMLInputElement) => {
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
            { label: "Files…", run: () => files.current?.click() },
            { label: "A folder…", run: () => folder.current?.click() },
            ...(busy === null ? [{ label: "An archive (.tar, .tar.gz)…", run: () => archive.current?.click() }] : []),
          ]}
        />
        <button disabled={busy !== null} onClick={onDownload} title="All files as an archive">
          Download all
        </button>
        <button disabled={active === null} onClick={() => active !== null && onRemove(active)}>
          Delete…
        </button>
      </div>
      <p class="facts">
        <span role="status">
          {busy ??
            (page === null
              ? workspace.isLoading.value
                ? "Loading…"
                : ""
              : `${count(page.used.files)} of ${count(page.limits.files)} entries · ${bytes(page.used.bytes)} of ${bytes(page.limits.bytes)}`)}
        </span>
        <button
          class="quiet"
          aria-label="Refresh"
          title="Refresh"
          disabled={workspace.isLoading.value}
          onClick={() => void workspace.load()}
        >
          ↻
        </button>
      </p>
      <input
        ref={files}
        class="visually-hidden"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Files to upload"
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={(input) => {
          folder.current = input
          if (input !== null) input.webkitdirectory = true
        }}
        class="visually-hidden"
        type="file"
        tabIndex={-1}
        aria-label="Folder to upload"
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={archive}
        class="visually-hidden"
        type="file"
        accept=".tar,.gz,.tgz,application/x-tar,application/gzip"
        tabIndex={-1}
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
