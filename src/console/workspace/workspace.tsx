// The screen "Files" of a session.
import { useEffect, useMemo } from "preact/hooks"
import type { SessionStore } from "../store/session-store.ts"
import { FilesPanel } from "./files-panel.tsx"
import { WorkspaceFiles } from "./workspace-files.ts"

export const Workspace = ({ store }: { readonly store: SessionStore }) => {
  const cwd = store.session.value?.cwd
  if (cwd === undefined)
    return (
      <p class="loading" role="status">
        Loading…
      </p>
    )
  return <Screen store={store} cwd={cwd} />
}

const Screen = ({ store, cwd }: { readonly store: SessionStore; readonly cwd: string }) => {
  const workspace = useMemo(() => new WorkspaceFiles(store.server.client.session(store.id).files, cwd), [store, cwd])
  useEffect(() => () => workspace.close(), [workspace])
  const changes = store.fileChanges.value
  useEffect(() => void workspace.load(), [workspace, changes])
  return (
    <section class="workspace" aria-label="Workspace">
      <FilesPanel workspace={workspace} name={store.session.value?.title ?? store.id} />
    </section>
  )
}
