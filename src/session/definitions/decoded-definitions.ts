// Receives stored definitions of a kind, and their schema; returns them decoded, by name.
// Invariant: a definition that an older version stored, and that does not decode any more, is left out and logged; the others
// are returned.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { DefinitionKind, DefinitionsByName } from "../../schemas/definitions.ts"
import { logLine } from "../server-log.ts"

export const decodedDefinitions = <Value>(
  kind: DefinitionKind,
  schema: Schema.Codec<Value, unknown>,
  stored: DefinitionsByName,
): Readonly<Record<string, Value>> => {
  const decode = Schema.decodeUnknownResult(schema)
  return Object.fromEntries(
    Object.entries(stored).flatMap(([name, value]) => {
      const decoded = decode(value)
      if (Result.isSuccess(decoded)) return [[name, decoded.success] as const]
      logLine("warn", "a stored definition could not be read", { kind, name })
      return []
    }),
  )
}
