// The workspaces that are open on the page, whichever screen is shown: one that is left with changes that are not saved, or with
// uploads that are not over, is taken up again where it was left.
// Invariant: an edited draft is dropped by its own saving or by a person's choice alone, also when the page is closed.
import { type Server, server } from "../app/server.ts"
import { WorkspaceFiles } from "./workspace-files.ts"

const open = new Map<string, { readonly server: Server; readonly workspace: WorkspaceFiles }>()

/** The workspace of a session, as it was left; a new one when nothing of it was unfinished. */
export const openWorkspace = (of: Server, session: string, cwd: string): WorkspaceFiles => {
  const known = open.get(session)
  if (known?.server === of) return known.workspace
  known?.workspace.close()
  const workspace = new WorkspaceFiles(of.client.session(session).files, cwd)
  open.set(session, { server: of, workspace })
  return workspace
}

/** Its screen is left. */
export const leaveWorkspace = (session: string): void => {
  const { workspace } = open.get(session) ?? {}
  if (workspace === undefined || workspace.isUnfinished) return
  workspace.close()
  open.delete(session)
}

addEventListener("beforeunload", (event) => {
  // Behind a sign-out nothing can be saved.
  const current = [...open.values()].filter((known) => known.server === server.peek())
  // The browser asks whether to leave.
  if (current.some(({ workspace }) => workspace.opened.peek()?.isDirty === true)) event.preventDefault()
})
