// A conflict: a file was edited here and has changed in the workspace. Shows the diff, and asks which version to keep.
import type { Draft, Version } from "./draft.ts"
import type { OpenFile } from "./open-file.ts"
import { Difference } from "../changes/difference.tsx"

interface ConflictProps {
  readonly file: OpenFile
  readonly draft: Draft
  readonly theirs: Version
}

/** Resolves the conflict. Its buttons are removed then, so the editor gets the focus. */
const choose = (file: OpenFile, choice: "mine" | "theirs", { currentTarget }: { readonly currentTarget: Element }) => {
  const host = currentTarget.closest(".file-view")?.querySelector(".code-editor")
  host?.shadowRoot?.querySelector<HTMLElement>(".cm-content")?.focus()
  file.choose(choice)
}

const reasonOf = ({ text, etag }: Version): string => {
  if (etag === null) return "This file was deleted while you edited it."
  return text === null
    ? "While you edited this file, it was replaced by one that is no text or too large to be edited here."
    : "This file was changed while you edited it. Below is what your text would change in it."
}

export const Conflict = ({ file, draft, theirs }: ConflictProps) => (
  <section class="conflict" role="alert" aria-label="Conflict">
    <p>{reasonOf(theirs)}</p>
    <p class="actions">
      <button class="primary" onClick={(event) => choose(file, "mine", event)}>
        {theirs.etag === null ? "Write mine again" : "Keep mine"}
      </button>
      <button onClick={(event) => choose(file, "theirs", event)}>
        {theirs.etag === null ? "Discard mine" : "Take theirs"}
      </button>
    </p>
    {theirs.text === null ? null : (
      <div class="conflict-diff" tabIndex={0} role="group" aria-label="Difference">
        <Difference before={theirs.text} after={draft.text} path={file.path} />
      </div>
    )}
  </section>
)
