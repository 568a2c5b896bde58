// Receives a text; returns it as one word of a script.
// Invariant: a shell expands the word to exactly this text.

export const quotedWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
