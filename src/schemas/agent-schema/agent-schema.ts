// Receives the Effect Schema of a tool's arguments or of a structured output; returns all that is made from it.
// Invariant: one source. The JSON Schema, the fingerprint, the decoder and what each provider gets never disagree.
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { closedObject, type ObjectNode } from "./closed-json-schema.ts"
import { decoderOf } from "./decode.ts"
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

/** A schema inside the profile. String lengths count UTF-16 units, in the decoder and in what the JSON Schema means. */
export class AgentSchema<out A = unknown> {
  readonly source: Schema.Codec<A, unknown>
  /** The closed JSON Schema: what is fingerprinted, and what providers' schemas are made from. */
  readonly jsonSchema: ObjectNode
  readonly decode: (input: unknown) => Result.Result<A, AgentSchemaDecodeError>
  #fingerprint: string | undefined
  readonly #projections = new Map<Provider, Projection>()

  constructor(source: Schema.Codec<A, unknown>, ast: SchemaAST.Objects) {
    this.source = source
    this.jsonSchema = closedObject(ast)
    this.decode = decoderOf(source)
  }

  /** `agent-schema-v2:sha256:HEX`; made when first asked for. */
  get fingerprint(): string {
    return (this.#fingerprint ??= fingerprintOf(this.jsonSchema))
  }

  /** The schema as a provider takes it, and why it would not. */
  project(provider: Provider): Projection {
    const known = this.#projections.get(provider)
    if (known !== undefined) return known
    const made = PROJECT[provider](this.jsonSchema)
    this.#projections.set(provider, made)
    return made
  }
}

/**
 * Wraps a schema; one that is wrapped already is given back as it is. Throws AgentSchemaProfileError with every
 * violation: at the load of the module that declares the tool, so that a server with a bad tool does not start.
 */
export const agentSchema = <A>(source: Schema.Codec<A, unknown> | AgentSchema<A>): AgentSchema<A> => {
  if (source instanceof AgentSchema) return source
  const issues = profileIssues(source)
  if (issues.length > 0 || !SchemaAST.isObjects(source.ast)) throw new AgentSchemaProfileError({ issues })
  return new AgentSchema(source, source.ast)
}
