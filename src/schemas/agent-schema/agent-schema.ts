// Receives the Effect Schema of a tool's arguments or of a structured output; returns everything that is derived from it.
// Invariant: the schema is the one source. JSON Schema, fingerprint, decoder and the providers' schemas never disagree.
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { closedObject, type ObjectNode } from "./closed-json-schema.ts"
import { strictDecoder } from "./decode.ts"
import { type AgentSchemaDecodeError, AgentSchemaProfileError } from "./errors.ts"
import { fingerprintOf } from "./fingerprint.ts"
import { profileIssues } from "./profile.ts"
import { toAgUi } from "./projections/ag-ui.ts"
import { toAnthropic } from "./projections/anthropic.ts"
import { toGemini } from "./projections/gemini.ts"
import { toOpenAi } from "./projections/openai.ts"
import type { Projection, Provider } from "./projections/projection.ts"

const PROJECT: Readonly<Record<Provider, (schema: ObjectNode) => Projection>> = {
  anthropic: toAnthropic,
  openai: toOpenAi,
  gemini: toGemini,
  "ag-ui": toAgUi,
}

/** A schema inside the profile. String lengths count UTF-16 units, in the decoder and in the JSON Schema. */
export class AgentSchema<out A = unknown> {
  readonly source: Schema.Codec<A, unknown>
  /** The closed JSON Schema, from which the fingerprint and the providers' schemas are made. */
  readonly jsonSchema: ObjectNode
  readonly decode: (input: unknown) => Result.Result<A, AgentSchemaDecodeError>
  #fingerprint: string | undefined
  readonly #projections = new Map<Provider, Projection>()

  constructor(source: Schema.Codec<A, unknown>, ast: SchemaAST.Objects) {
    this.source = source
    this.jsonSchema = closedObject(ast)
    this.decode = strictDecoder(source)
  }

  /** `agent-schema-v2:sha256:HEX`; computed on first use. */
  get fingerprint(): string {
    return (this.#fingerprint ??= fingerprintOf(this.jsonSchema))
  }

  /** The schema in a provider's form, with the issues for which the provider would refuse it. */
  project(provider: Provider): Projection {
    const known = this.#projections.get(provider)
    if (known !== undefined) return known
    const made = PROJECT[provider](this.jsonSchema)
    this.#projections.set(provider, made)
    return made
  }
}

/**
 * Wraps a schema; a wrapped one is returned unchanged. Throws AgentSchemaProfileError with every violation. It runs while
 * the module that declares the tool is loaded, so that a server with a bad tool does not start.
 */
export const agentSchema = <A>(source: Schema.Codec<A, unknown> | AgentSchema<A>): AgentSchema<A> => {
  if (source instanceof AgentSchema) return source
  const issues = profileIssues(source)
  if (issues.length > 0 || !SchemaAST.isObjects(source.ast)) throw new AgentSchemaProfileError({ issues })
  return new AgentSchema(source, source.ast)
}
