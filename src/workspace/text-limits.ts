// How long the lines of a text are that a model is shown.

/** Read cuts longer ones here. */
export const MAX_LINE_CHARACTERS = 2000
