// The limits of a text that is shown to a model.

/** A call of the Read tool returns at most this many characters, unless its input has `allow_large`. */
export const MAX_READ_CHARACTERS = 100_000
