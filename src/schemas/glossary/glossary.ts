// Descriptions of the API's fields by name, used in the OpenAPI document for fields whose schema has no description.
// Invariant: a name means the same wherever it is used, unless an entry `Shape.name` overrides it.

/** Descriptions and example values, by `name`, `Shape.name`, or `#Shape` for a shape itself. */
export type Glossary = Readonly<Record<string, readonly [description: string, example?: unknown]>>

/** The description of a shape's field, and an example of its value. */
export const glossaryEntry = (glossary: Glossary, shape: string, field: string): Glossary[string] | undefined => {
  const own = `${shape}.${field}`
  if (Object.hasOwn(glossary, own)) return glossary[own]
  return Object.hasOwn(glossary, field) ? glossary[field] : undefined
}
