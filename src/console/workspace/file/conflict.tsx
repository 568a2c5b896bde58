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

export const Conflict = ({ file, draft, theirs }: ConflictProps) => (
  <section class="conflict" role="alert" aria-label="Conflict">
    <p>
      {theirs.text === null
        ? "This file was deleted while you edited it."
        : "This file was changed while you edited it. Below is what your text would change in it."}
    </p>
    <p class="actions">
      <button class="primary" onClick={(event) => choose(file, "mine", event)}>
        {theirs.text === null ? "Write mine again" : "Keep mine"}
      </button>
      <button onClick={(event) => choose(file, "theirs", event)}>
        {theirs.text === null ? "Let it go" : "Take theirs"}
      </button>
    </p>
    {theirs.text === null ? null : (
      <div class="conflict-diff" tabIndex={0} role="group" aria-label="Difference">
        <Difference before={theirs.text} after={draft.text} path={file.path} />
      </div>
    )}
  </section>
)
