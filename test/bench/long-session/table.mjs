// Formats the figures of this bench's parts: the label on the left, numbers in columns.

export const line = (...cells) =>
  console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(28) : cell.padStart(11))).join(""))
