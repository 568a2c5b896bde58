// Receives the text of a prompt; returns the value of its field's `dir`, and sets it before a long text is pasted.
// Invariant: a key or a paste in a long prompt costs no more than in a short one. For "auto", browsers determine the direction of
// all lines again at each change, which takes a second for 300 KB.

/** Characters from which on all lines have the direction of the text's first letter. */
const LONG = 20_000
const LETTER = /\p{L}/u
const RIGHT_TO_LEFT =
  /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}|\p{Script=Adlam}/u

export const textDirection = (text: string): "auto" | "ltr" | "rtl" => {
  if (text.length <= LONG) return "auto"
  return RIGHT_TO_LEFT.test(LETTER.exec(text)?.[0] ?? "") ? "rtl" : "ltr"
}

interface Insertion {
  readonly data: string | null
  readonly currentTarget: { readonly value: string; dir: string }
}

/** For the event "beforeinput": a long text is laid out once, in its own direction. */
export const directLongText = ({ data, currentTarget: field }: Insertion): void => {
  if (data !== null && data.length > LONG) field.dir = textDirection(field.value + data)
}
