// Building blocks of tools' inputs: bounded texts and lists, with descriptions for the model.
// Invariant: whatever a model sends is bounded.
import * as Schema from "effect/Schema"

/** Adds the description that the model reads for a field. */
export const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.annotate({ description })

export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(described(schema, description))

/** Text of at most `maximum` UTF-16 units. */
export const text = (maximum: number) => Schema.String.check(Schema.isMaxLength(maximum))
export const Line = text(2000)
export const Page = text(1_000_000)
export const Id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
export const Url = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(8192))

/** A list of at most `maximum` items. */
export const list = <S extends Schema.Top>(item: S, maximum: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maximum))

export const TaskStatus = Schema.Literals(["pending", "in_progress", "completed"])
export const TextRecord = Schema.Record(Schema.String, Schema.String)
