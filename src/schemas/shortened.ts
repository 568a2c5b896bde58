// Receives a text and how long it may be; returns it, or its beginning with a mark that the rest is missing.

export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text
