// Receives a name and a schema; returns the definition of a signal: its typed constructor and its decoder.
// Invariant: the constructor encodes a payload as JSON, which the decoder decodes to an equal payload.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Emitted, isObserved, signalFault } from "../schemas/signal.ts"
import { SignalError } from "./errors.ts"

/** A definition without the type of its payload, for lists of definitions. */
export interface AnySignalDefinition {
  readonly name: string
  readonly schema: Schema.Codec<unknown, unknown>
  /** Decodes a payload to the schema's type. */
  readonly decode: (payload: unknown) => Effect.Effect<unknown, SignalError>
}

/** Called with a payload, it returns a signal to emit; throws if the payload does not match the schema. */
export interface SignalDefinition<N extends string, T> extends AnySignalDefinition {
  (payload: T): Emitted
  readonly name: N
  readonly schema: Schema.Codec<T, unknown>
  readonly decode: (payload: unknown) => Effect.Effect<T, SignalError>
  /** True for a signal of this name whose payload decodes. */
  readonly is: (signal: Emitted) => boolean
}

export interface SignalShape<N extends string, T> {
  readonly name: N
  readonly schema: Schema.Codec<T, unknown>
}

/** Defines a signal by its name and the schema of its payload, or the fields of a struct. Throws for an invalid name. */
export function defineSignal<const N extends string, T>(shape: SignalShape<N, T>): SignalDefinition<N, T>
export function defineSignal<const N extends string, const F extends Schema.Struct.Fields>(
  name: N,
  fields: F & PlainFields<F>,
): SignalDefinition<N, Schema.Struct<F>["Type"]>
export function defineSignal(
  given: SignalShape<string, unknown> | string,
  fields: Schema.Struct.Fields = {},
): AnySignalDefinition {
  if (typeof given !== "string") return definitionOf(given.name, given.schema)
  // The type `PlainFields` excludes fields that need services.
  const schema = Object.keys(fields).length === 0 ? NoFields : Schema.Struct(fields)
  return definitionOf(given, schema as unknown as Schema.Codec<unknown, unknown>)
}

/** For a signal without fields, because a struct without fields would accept any value except null. */
const NoFields = Schema.Record(Schema.String, Schema.Json)

/** Fields that need no services to decode and encode. */
type PlainFields<F extends Schema.Struct.Fields> = { readonly [K in keyof F]: Schema.Codec<F[K]["Type"], unknown> }

const definitionOf = (name: string, schema: Schema.Codec<unknown, unknown>): SignalDefinition<string, unknown> => {
  const fault = signalFault(name, {})
  if (fault !== null) throw new SignalError({ signal: name, message: fault })
  if (isObserved(name)) {
    throw new SignalError({ signal: name, message: `${name} is a signal of the runtime. Choose another name.` })
  }
  const codec = Schema.toCodecJson(schema)
  const encode = Schema.encodeSync(codec)
  const decodeEffect = Schema.decodeUnknownEffect(codec)
  const accepts = Schema.decodeUnknownResult(codec)
  const decode = (payload: unknown) =>
    Effect.mapError(
      decodeEffect(payload),
      (cause) => new SignalError({ signal: name, message: `The payload of ${name} is wrong: ${cause.message}`, cause }),
    )
  const is = (signal: Emitted) => signal.name === name && accepts(signal.payload)._tag === "Success"
  const construct = (payload: unknown): Emitted => ({ name, payload: encode(payload) })
  // A function's own `name` can only be replaced by defining the property.
  return Object.defineProperties(construct, {
    name: { value: name, enumerable: true },
    schema: { value: schema, enumerable: true },
    decode: { value: decode, enumerable: true },
    is: { value: is, enumerable: true },
  }) as SignalDefinition<string, unknown> // has all properties of the type
}

/** The name of a definition, or the given name itself. */
export const nameOf = (given: AnySignalDefinition | string): string => (typeof given === "string" ? given : given.name)
