// An edited file against the file of the workspace, which the agent may change meanwhile.
// Invariant: what a person typed is replaced only when that person chooses so, and a file only over the version that was seen.

/** A version of a file: its text, and what names it; `etag` is null when there is no such file. */
export interface Version {
  /** Null also of a file that is no text, or too large to be edited. */
  readonly text: string | null
  readonly etag: string | null
}

export interface Draft {
  /** What the draft began from. */
  readonly base: Version
  readonly text: string
  /** The version that was found in place of `base`. */
  readonly theirs: Version | null
}

export const draftOf = (base: Version): Draft => ({ base, text: base.text ?? "", theirs: null })

export const isDirty = ({ base, text }: Draft): boolean => text !== base.text

/** The file was found in another version: a clean draft takes it, an edited one is in conflict unless both are equal. */
export const found = (draft: Draft, theirs: Version): Draft => {
  if (theirs.etag === draft.base.etag) return { ...draft, theirs: null }
  if (!isDirty(draft) || theirs.text === draft.text) return draftOf({ ...theirs, text: theirs.text ?? "" })
  return { ...draft, theirs }
}

/** Mine: the draft is kept over their version. Theirs: the draft becomes it. */
export const resolve = (draft: Draft, choice: "mine" | "theirs"): Draft => {
  if (draft.theirs === null) return draft
  return choice === "theirs" ? draftOf(draft.theirs) : { base: draft.theirs, text: draft.text, theirs: null }
}

export const saved = (draft: Draft, text: string, etag: string | null): Draft => ({
  base: { text, etag },
  // What was typed while the request was under way is not saved yet.
  text: draft.text,
  theirs: null,
})

/** The condition under which a draft may be written. */
export const conditionOf = ({ base }: Draft): { readonly ifMatch: string } | { readonly ifNoneMatch: "*" } =>
  base.etag === null ? { ifNoneMatch: "*" } : { ifMatch: base.etag }
