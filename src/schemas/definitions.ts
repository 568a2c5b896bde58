// What a tenant stores for all of its sessions: the kinds of definitions, and their limits.
// Invariant: all definitions of a tenant fit into one row of a session, because a session reads them at once.
import * as Schema from "effect/Schema"
import { MAX_SAVED_PERMISSIONS } from "./permissions-saved.ts"

/** The kinds of definitions. */
export const DefinitionKind = Schema.Literals(["agent", "command", "mcp_server", "router", "config", "permission"])
export type DefinitionKind = typeof DefinitionKind.Type

/** The most definitions of each kind that a tenant may have. */
export const MAX_DEFINITIONS: Readonly<Record<DefinitionKind, number>> = {
  agent: 50,
  command: 200,
  mcp_server: 50,
  router: 1,
  permission: MAX_SAVED_PERMISSIONS,
  config: 1,
}

/** The most bytes of JSON of all definitions of a tenant together. */
export const MAX_DEFINITION_BYTES = 1_000_000

/** A JSON object. */
export type DefinitionValue = Readonly<Record<string, unknown>>

/** Definitions of one kind, by name. */
export type DefinitionsByName = Readonly<Record<string, DefinitionValue>>

/** Values by name for each kind; a kind without any is absent. */
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

/** All definitions of a tenant, at a version. `sealed` has the secret fields of values, encrypted. */
export const StoredDefinitions = Schema.Struct({
  version: Schema.Int,
  values: byKind(Schema.Record(Schema.String, Schema.Unknown)),
  sealed: byKind(Schema.String),
})
export type StoredDefinitions = typeof StoredDefinitions.Type
