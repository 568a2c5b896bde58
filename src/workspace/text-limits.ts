// The limits of a text that is shown to a model.

/** The Read tool cuts longer lines to this length. */
export const MAX_LINE_CHARACTERS = 2000
