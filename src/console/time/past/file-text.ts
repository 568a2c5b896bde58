// Receives a file's bytes; returns its text, or a sentence if it is not a text file.

export const textOfBytes = (content: Uint8Array): string => {
  if (content.length === 0) return "This file is empty."
  if (content.includes(0)) return "This file is no text."
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content)
  } catch {
    return "This file is no text."
  }
}
