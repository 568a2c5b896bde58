// The limits of a text that is shown to a model.

/** The most characters that a call of the Read tool returns, unless it sets `allow_large`. */
export const MAX_READ_CHARACTERS = 100_000
