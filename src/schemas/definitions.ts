// What a tenant keeps for all of its sessions: the kinds there are, and how much of each.
// Invariant: a session reads all of a tenant's definitions at once, so that they fit into one of its rows together.
import * as Schema from "effect/Schema"
import { MAX_SAVED_PERMISSIONS } from "./permissions-saved.ts"

/** What a definition is of. */
export const DefinitionKind = Schema.Literals(["agent", "command", "mcp_server", "router", "config", "permission"])
export type DefinitionKind = typeof DefinitionKind.Type

/** How many a tenant may have of each. */
export const MAX_DEFINITIONS: Readonly<Record<DefinitionKind, number>> = {
  agent: 50,
  command: 200,
  mcp_server: 50,
  router: 1,
  permission: MAX_SAVED_PERMISSIONS,
  config: 1,
}

/** Bytes of JSON that all definitions of a tenant may have together. */
export const MAX_DEFINITION_BYTES = 1_000_000

/** A JSON object. */
export type DefinitionValue = Readonly<Record<string, unknown>>

/** Definitions of one kind, by name. */
export type DefinitionsByName = Readonly<Record<string, DefinitionValue>>

/** Something by name, of each kind that there is any of. */
const byKind = <Value extends Schema.Codec<unknown>>(value: Value) => {
  const named = Schema.optionalKey(Schema.Record(Schema.String, value))
  return Schema.Struct({
    agent: named,
    command: named,
    mcp_server: named,
    router: named,
    permission: named,
    config: named,
  })
}

/** All that a tenant has stored, as it was at a version. `sealed` are the secret fields of values, encrypted. */
export const StoredDefinitions = Schema.Struct({
  version: Schema.Int,
  values: byKind(Schema.Record(Schema.String, Schema.Unknown)),
  sealed: byKind(Schema.String),
})
export type StoredDefinitions = typeof StoredDefinitions.Type
