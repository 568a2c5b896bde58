// Receives a schema that only describes a value; returns one that checks the value and hands it on whole.
// Invariant: decoding and encoding through it change nothing, so fields that the schema does not name survive at every depth.
import { Effect, Schema, SchemaParser } from "effect"

/** A JSON object whose fields are not described. */
export const AnyRecord = Schema.Record(Schema.String, Schema.Unknown)

/** A schema without transformation: what it decodes to is what it encodes to. */
type Description<A> = Schema.Codec<A>

/**
 * The same check, but the value itself comes out, not a copy of its known fields. Issues carry the paths of `shape`.
 * `onExcessProperty: "error"` still refuses unknown fields.
 */
export const kept = <A>(shape: Description<A>): Schema.Codec<A> =>
  Schema.declareConstructor<A>()([shape], ([codec]) => {
    const check = SchemaParser.decodeUnknownEffect(codec)
    // `shape` accepted the input and transforms nothing, so the input is an A already.
    return (input, _ast, options) => Effect.as(check(input, options), input as A)
  })
