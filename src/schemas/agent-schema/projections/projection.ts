// The result of projecting a closed JSON Schema to a provider's dialect.
import * as Schema from "effect/Schema"
import type { JsonObject } from "../closed-json-schema.ts"
import type { SchemaIssueAt } from "../errors.ts"

/** The providers, and the protocol AG-UI, that have their own dialect of JSON Schema. */
export const Provider = Schema.Literals(["anthropic", "openai", "gemini", "ag-ui"])
export type Provider = typeof Provider.Type

export interface Projection {
  readonly schema: JsonObject
  /** Why the provider would refuse the schema; empty when it accepts it. */
  readonly issues: ReadonlyArray<SchemaIssueAt>
  /** Properties that were renamed: the path in the projected schema, and the name that the decoder expects. */
  readonly renamed: Readonly<Record<string, string>>
}
