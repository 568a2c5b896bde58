// Receives a closed JSON Schema; returns a tool's `input_schema` for the Anthropic Messages API.
// The API accepts JSON Schema 2020-12 with `type: object` and no oneOf, anyOf or allOf at the root, which a closed
// schema never has, and root properties named `^[a-zA-Z0-9_.-]{1,64}$`.
import type { ObjectNode } from "../closed-json-schema.ts"
import type { Projection } from "./projection.ts"

/** The names that the API accepts for an input's properties. */
export const ANTHROPIC_PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/

export const toAnthropic = (schema: ObjectNode): Projection => ({
  schema: { ...schema },
  issues: Object.keys(schema.properties)
    .filter((name) => !ANTHROPIC_PROPERTY.test(name))
    .map((name) => ({ path: `$.${name}`, issue: "property-name-unsupported" })),
  renamed: {},
})
