// The workspaces that are open on the page, whichever screen is shown: one that is left with changes that are not saved, or with
// uploads that are not over, is taken up again where it was left.
// Invariant: an edited draft is dropped by its own saving or by a person's choice alone, also when the page is closed.
import { type Server, server } from "../app/server.ts"
import { reportUnfinished } from "../app/sign-out/unfinished.ts"
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

/** Behind a sign-out nothing can be saved. */
const current = (): ReadonlyArray<WorkspaceFiles> =>
  [...open.values()].filter((known) => known.server === server.peek()).map(({ workspace }) => workspace)

const isEdited = ({ opened }: WorkspaceFiles): boolean => opened.peek()?.isDirty === true

addEventListener("beforeunload", (event) => {
  // The browser asks whether to leave.
  if (current().some(isEdited)) event.preventDefault()
})

reportUnfinished("edited files that are not saved", () => current().some(isEdited))
reportUnfinished("uploads that are not over", () => current().some(({ uploads }) => !uploads.isDone))
