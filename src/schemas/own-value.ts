// Receives a table and a key from outside; returns the table's own value of that key.
// Invariant: names that every object inherits (`constructor`, `toString`) are not found in any table.

/** The value that the table itself has; undefined for every other key. */
export const ownValue = <A>(table: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined
