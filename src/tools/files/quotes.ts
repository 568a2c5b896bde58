// Converts between straight and typographic quotes, because models write straight ones for both.
// Invariant: a text keeps its length, so that an index in one form is valid in the other.

const SINGLE = /[‘’]/g
const DOUBLE = /[“”]/g

export const straightQuotes = (text: string): string => text.replace(SINGLE, "'").replace(DOUBLE, '"')

/** The characters that an opening quote follows, unless it is at the start of the text: space, opening brackets, dashes. */
const BEFORE_OPENING = /[\s([{—–]/

const isLetter = (text: string | undefined): boolean => text !== undefined && /\p{L}/u.test(text)

/** Converts the kinds of quotes (single, double) in `text` that are typographic in `model`. */
export const quotedAs = (text: string, model: string): string =>
  text.replace(/["']/g, (quote, at: number) => {
    const [opening, closing] = quote === '"' ? ["“", "”"] : ["‘", "’"]
    if (!model.includes(opening) && !model.includes(closing)) return quote
    const before = text[at - 1]
    if (quote === "'" && isLetter(before) && isLetter(text[at + 1])) return closing
    return before === undefined || BEFORE_OPENING.test(before) ? opening : closing
  })
