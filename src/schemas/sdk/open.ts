// The ways to describe a shape of the SDK: its known fields, and any others.
// Invariant: decoding and encoding keep unknown fields, at every depth, since servers and clients of other versions send
// more than is declared.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"

/** A JSON object whose fields are not described. */
export const AnyRecord = Schema.Record(Schema.String, Schema.Unknown)

const rest = [AnyRecord] as const

/** An object whose known fields are checked and whose other fields are kept. Its type has only the known ones. */
export const open = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
): Schema.Codec<
  Schema.Struct.Type<Fields>,
  Schema.Struct.Encoded<Fields>,
  Schema.Struct.DecodingServices<Fields>,
  Schema.Struct.EncodingServices<Fields>
> =>
  // The schema yields the struct's own type and an index signature of `unknown`: a subtype of the struct's.
  Schema.StructWithRest(Schema.Struct(fields), rest) as never

/**
 * A closed shape for use where unknown fields must be kept: the same check, but it returns the value itself, not a copy
 * of its known fields. `onExcessProperty: "error"` still refuses unknown fields. Issues have the paths of `shape`.
 */
export const kept = <A>(shape: Schema.Codec<A>): Schema.Codec<A> =>
  Schema.declareConstructor<A>()([shape], ([codec]) => {
    const check = SchemaParser.decodeUnknownEffect(codec)
    // `shape` accepted the input and transforms nothing, so the input is an A already.
    return (input, _ast, options) => Effect.as(check(input, options), input as A)
  })

/** A field that may be missing or null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The message for a value of a known type that lacks a field; a second issue names the field. */
export const ILL_FORMED = "Expected a value that is well formed for its type"

/** The `type` of a variant that is not described: any text except the described ones, which have schemas of their own. */
export const otherThan = (described: ReadonlyArray<string>) => {
  const known = new Set(described)
  return Schema.String.check(Schema.makeFilter((type: string) => !known.has(type) || ILL_FORMED))
}
