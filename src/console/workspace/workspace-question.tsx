// The dialog of an action on files: it asks for a name, or for a confirmation.
import { visibleText } from "../kit/text/visible-text.ts"
import { ConfirmRequest, NameQuestion } from "./questions.tsx"
import { joinPath, nameOf, parentOf } from "./tree/tree-model.ts"
import type { WorkspaceFiles } from "./workspace-files.ts"

export type Question =
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  | { readonly kind: "rename"; readonly path: string }
  | { readonly kind: "remove"; readonly path: string }
  /** `next` is the path of the file that is opened after the changes were discarded; null closes the open file only. */
  | { readonly kind: "discard"; readonly next: string | null }

interface QuestionProps {
  readonly workspace: WorkspaceFiles
  readonly question: Question
  readonly onClose: () => void
}

export const WorkspaceQuestion = ({ workspace, question, onClose }: QuestionProps) => {
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
