// Receives a valid base64 text; returns how many bytes it encodes.

export const base64Size = (data: string): number =>
  (data.length * 3) / 4 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0)
