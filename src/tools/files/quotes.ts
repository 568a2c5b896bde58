// Straight quotes and typographic ones: a model writes the first kind for both.
// Invariant: a text keeps its length, so that a place in the one form is that place in the other.

const SINGLE = /[‘’]/g
const DOUBLE = /[“”]/g

export const straightQuotes = (text: string): string => text.replace(SINGLE, "'").replace(DOUBLE, '"')

/** What an opening quote follows: the begin of the text, space, or an opening bracket or dash. */
const BEFORE_OPENING = /[\s([{—–]/

const isLetter = (text: string | undefined): boolean => text !== undefined && /\p{L}/u.test(text)

/** The text with the kinds of quotes that the model of it has in typographic form. */
export const quotedAs = (text: string, model: string): string =>
  text.replace(/["']/g, (quote, at: number) => {
    const [opening, closing] = quote === '"' ? ["“", "”"] : ["‘", "’"]
    if (!model.includes(opening) && !model.includes(closing)) return quote
    const before = text[at - 1]
    if (quote === "'" && isLetter(before) && isLetter(text[at + 1])) return closing
    return before === undefined || BEFORE_OPENING.test(before) ? opening : closing
  })
