// Descriptions of the API's fields by name, used in the OpenAPI document for fields whose schema has no description.
// Invariant: a name means the same wherever it is used, unless an entry `Shape.name` overrides it.

/** Descriptions and example values, by `name`, `Shape.name`, or `#Shape` for a shape itself. */
export type Glossary = Readonly<Record<string, readonly [description: string, example?: unknown]>>

/** One glossary of several. A name in two of them is an error: the second description would be that of the first's fields, too. */
export const joined = (...glossaries: ReadonlyArray<Glossary>): Glossary => {
  const entries = glossaries.flatMap((glossary) => Object.entries(glossary))
  const names = entries.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`${twice} has two descriptions. Give one of them the name Shape.${twice}.`)
  return Object.fromEntries(entries)
}

/** The description of a shape's field, and an example of its value. */
export const glossaryEntry = (glossary: Glossary, shape: string, field: string): Glossary[string] | undefined => {
  const own = `${shape}.${field}`
  if (Object.hasOwn(glossary, own)) return glossary[own]
  return Object.hasOwn(glossary, field) ? glossary[field] : undefined
}
