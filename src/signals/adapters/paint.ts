// Receives whether a terminal supports colours; returns functions that colour a text, or return it unchanged.

export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly cyan: (text: string) => string
}

const code = (start: number, end: number, colors: boolean) => (text: string) =>
  colors ? `\u001b[${start}m${text}\u001b[${end}m` : text

export const paintOf = (colors: boolean): Paint => ({
  bold: code(1, 22, colors),
  dim: code(2, 22, colors),
  red: code(31, 39, colors),
  green: code(32, 39, colors),
  yellow: code(33, 39, colors),
  cyan: code(36, 39, colors),
})
