// What a projection of a closed JSON Schema to a provider's vocabulary gives.
import * as Schema from "effect/Schema"
import type { JsonObject } from "../closed-json-schema.ts"
import type { SchemaIssueAt } from "../errors.ts"

/** Whose vocabulary a schema is shown in. */
export const Provider = Schema.Literals(["anthropic", "openai", "gemini", "ag-ui"])
export type Provider = typeof Provider.Type

export interface Projection {
  readonly schema: JsonObject
  /** Why the provider would refuse it; empty when it takes it. */
  readonly issues: ReadonlyArray<SchemaIssueAt>
  /** Properties that had to get another name there: the path as projected, and the name as decoded. */
  readonly renamed: Readonly<Record<string, string>>
}
