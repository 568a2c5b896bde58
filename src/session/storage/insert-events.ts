// The statement that writes events, and what fits into one.

/** A payload with more characters than this is stored as a blob. A row of SQLite has at most 2 MB. */
export const MAX_ROW = 256 * 1024

/** A statement takes 100 values at most, and a row has eight. */
export const ROWS_PER_STATEMENT = 12

export const isOneStatement = (list: ReadonlyArray<{ readonly json: string }>): boolean =>
  list.length <= ROWS_PER_STATEMENT && list.every(({ json }) => json.length <= MAX_ROW)

export const insertEventsSql = (rows: number): string =>
  `INSERT INTO events (seq, name, uuid, turn, parent, at, stored, json) VALUES ${Array(rows).fill("(?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`
