// Receives a text and its maximum length; returns the text, or its beginning followed by "…".

export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text
