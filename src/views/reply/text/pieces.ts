// The pieces of a reply's text after its tags and directives were read.

/** An instruction of a reply to its channel, at its position in the text. */
export type Directive =
  /** The message that the reply answers: its id, or null for the message that started the run. */
  | { readonly kind: "reply"; readonly id: string | null }
  | { readonly kind: "audio" }
  | { readonly kind: "react"; readonly emoji: string; readonly current: boolean }
  /** An https URL, or the path of a file. */
  | { readonly kind: "media"; readonly url: string }

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | Directive

/** Appends text to the last piece if that has the same kind, otherwise as a new piece. */
export const addText = (pieces: Array<Piece>, kind: "text" | "thinking", text: string): void => {
  if (text === "") return
  const last = pieces.at(-1)
  if (last?.kind === kind) pieces[pieces.length - 1] = { kind, text: last.text + text }
  else pieces.push({ kind, text })
}
