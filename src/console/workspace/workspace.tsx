// The screen "Files" of a session: its files, the changes between checkpoints, the todos and the context.
import { useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type { SessionStore } from "../store/session-store.ts"
import { ChangesPanel } from "./changes/changes-panel.tsx"
import { ContextPanel } from "./panels/context-panel.tsx"
import { FilesPanel } from "./files-panel.tsx"
import { leaveWorkspace, openWorkspace } from "./open-workspaces.ts"
import { TodosPanel } from "./panels/todos-panel.tsx"

const PANELS = ["Files", "Changes", "Todos", "Context"] as const
type Panel = (typeof PANELS)[number]

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
  const panel = useSignal<Panel>("Files")
  const workspace = useMemo(() => openWorkspace(store.server, store.id, cwd), [store, cwd])
  useEffect(() => () => leaveWorkspace(store.id), [workspace])
  const changes = store.fileChanges.value
  useEffect(() => void workspace.load(), [workspace, changes])
  // A page in the background or without a network may have missed events.
  useEffect(() => {
    const load = () => void workspace.load()
    const events = ["focus", "online"]
    for (const name of events) addEventListener(name, load)
    return () => events.forEach((name) => removeEventListener(name, load))
  }, [workspace])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? PANELS.length - 1 : 0
    if (step === 0) return
    event.preventDefault()
    panel.value = PANELS[(PANELS.indexOf(panel.value) + step) % PANELS.length] ?? "Files"
    document.getElementById(`panel-tab-${panel.value}`)?.focus()
  }
  return (
    <section class="workspace" aria-label="Workspace">
      <div class="panel-tabs" role="tablist" aria-label="Panels of the workspace" onKeyDown={onKeyDown}>
        {PANELS.map((name) => (
          <button
            key={name}
            id={`panel-tab-${name}`}
            role="tab"
            aria-selected={name === panel.value}
            aria-controls="workspace-panel"
            tabIndex={name === panel.value ? 0 : -1}
            onClick={() => (panel.value = name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="workspace-panel" class="workspace-panel" role="tabpanel" aria-labelledby={`panel-tab-${panel.value}`}>
        {panel.value === "Files" ? (
          <FilesPanel workspace={workspace} name={store.session.value?.title ?? store.id} />
        ) : panel.value === "Changes" ? (
          <ChangesPanel store={store} />
        ) : panel.value === "Todos" ? (
          <TodosPanel store={store} />
        ) : (
          <ContextPanel store={store} />
        )}
      </div>
    </section>
  )
}
