// What a reply's text consists of once its tags and directives are read.

/** What a reply asks its channel for, in the place where it asks. */
export type Directive =
  /** The message that the reply answers: its id, or null for the one that the run was started with. */
  | { readonly kind: "reply"; readonly id: string | null }
  | { readonly kind: "audio" }
  | { readonly kind: "react"; readonly emoji: string; readonly current: boolean }
  /** An https URL, or the path of a file. */
  | { readonly kind: "media"; readonly url: string }

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | Directive

/** Appends text to the last piece where that is of the same kind. */
export const addText = (pieces: Array<Piece>, kind: "text" | "thinking", text: string): void => {
  if (text === "") return
  const last = pieces.at(-1)
  if (last?.kind === kind) pieces[pieces.length - 1] = { kind, text: last.text + text }
  else pieces.push({ kind, text })
}
