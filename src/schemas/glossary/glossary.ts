// What the fields of the API's shapes mean, by their name: the document shows it where a schema does not say it itself.
// Invariant: a name means the same wherever it is used; where it does not, `Shape.name` goes first.

/** By `name`, `Shape.name`, or `#Shape` for a shape itself: a sentence, and an example of a value. */
export type Glossary = Readonly<Record<string, readonly [description: string, example?: unknown]>>

/** The words for a field of a shape. */
export const wordsFor = (glossary: Glossary, shape: string, field: string): Glossary[string] | undefined => {
  const own = `${shape}.${field}`
  if (Object.hasOwn(glossary, own)) return glossary[own]
  return Object.hasOwn(glossary, field) ? glossary[field] : undefined
}
