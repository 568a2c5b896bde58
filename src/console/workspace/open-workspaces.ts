// The open workspaces of the page, whichever screen is shown: a workspace that is left with unsaved changes or unfinished uploads
// is kept, and continues when it is opened again.
// Invariant: an edited draft is only discarded after it was saved, or by a person's choice, even when the page is closed.
import { type Server, server } from "../app/server.ts"
import { reportUnfinished } from "../app/sign-out/unfinished.ts"
import { WorkspaceFiles } from "./workspace-files.ts"

const open = new Map<string, { readonly server: Server; readonly workspace: WorkspaceFiles }>()

/** The workspace of a session: the kept one if it was left unfinished, otherwise a new one. */
export const openWorkspace = (of: Server, session: string, cwd: string): WorkspaceFiles => {
  const known = open.get(session)
  if (known?.server === of) return known.workspace
  known?.workspace.close()
  const workspace = new WorkspaceFiles(of.client.session(session).files, cwd)
  open.set(session, { server: of, workspace })
  return workspace
}

/** Call it when the workspace's screen is left: closes the workspace unless it is unfinished. */
export const leaveWorkspace = (session: string): void => {
  const { workspace } = open.get(session) ?? {}
  if (workspace === undefined || workspace.isUnfinished) return
  workspace.close()
  open.delete(session)
}

/** Workspaces of a server that was signed out can't be saved any more. */
const current = (): ReadonlyArray<WorkspaceFiles> =>
  [...open.values()].filter((known) => known.server === server.peek()).map(({ workspace }) => workspace)

const isEdited = ({ opened }: WorkspaceFiles): boolean => opened.peek()?.isDirty === true

addEventListener("beforeunload", (event) => {
  // Makes the browser ask before it leaves the page.
  if (current().some(isEdited)) event.preventDefault()
})

reportUnfinished("edited files that are not saved", () => current().some(isEdited))
reportUnfinished("uploads that are not over", () => current().some(({ uploads }) => !uploads.isDone))
