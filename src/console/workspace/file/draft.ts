// A draft of a file, compared with the workspace's file, which the agent may change at any time.
// Invariant: a person's edits are only replaced by that person's choice; a file is only overwritten in the version that was seen.

/** A version of a file: its text and its entity tag; `etag` is null when the file does not exist. */
export interface Version {
  /** Null for a missing file, and for one that is not text or too large to be edited. */
  readonly text: string | null
  readonly etag: string | null
}

export interface Draft {
  /** The version on which the draft is based. */
  readonly base: Version
  readonly text: string
  /** A different version that was found in the workspace; null without a conflict. */
  readonly theirs: Version | null
}

export const draftOf = (base: Version): Draft => ({ base, text: base.text ?? "", theirs: null })

export const isDirty = ({ base, text }: Draft): boolean => text !== base.text

/** Applies the version in the workspace: an unedited draft adopts it, an edited one is in conflict unless both texts are equal. */
export const found = (draft: Draft, theirs: Version): Draft => {
  if (theirs.etag === draft.base.etag) return { ...draft, theirs: null }
  if (!isDirty(draft) || theirs.text === draft.text) return draftOf({ ...theirs, text: theirs.text ?? "" })
  return { ...draft, theirs }
}

/** Resolves a conflict. "mine" keeps the draft, now based on their version; "theirs" replaces it with their version. */
export const resolve = (draft: Draft, choice: "mine" | "theirs"): Draft => {
  if (draft.theirs === null) return draft
  return choice === "theirs" ? draftOf(draft.theirs) : { base: draft.theirs, text: draft.text, theirs: null }
}

export const saved = (draft: Draft, text: string, etag: string | null): Draft => ({
  base: { text, etag },
  // Edits that were made during the request are not saved yet.
  text: draft.text,
  theirs: null,
})

/** The precondition for writing a draft. */
export const conditionOf = ({ base }: Draft): { readonly ifMatch: string } | { readonly ifNoneMatch: "*" } =>
  base.etag === null ? { ifNoneMatch: "*" } : { ifMatch: base.etag }
