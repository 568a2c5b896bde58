// Receives a table and a key from outside; returns the table's own value of that key.
// Invariant: what every object inherits (`constructor`, `toString`) is in no table.

/** The value that the table itself has; undefined for every other key. */
export const ownValue = <A>(table: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined
