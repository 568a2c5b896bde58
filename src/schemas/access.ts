// Access rights: the scopes of API keys, the roles of tickets, and the actor that the Worker passes to a session.
// Invariant: a ticket never has a role whose scope its key lacks.
import * as Schema from "effect/Schema"

/**
 * What a key may do. `sessions:read` and `sessions:write` allow the routes below `/v1/sessions`, `/v1/query` and `/mcp`;
 * `answer` settles asks; `files` uses the workspace; `bypass` allows `bypassPermissions` and `shell_network`; `tickets`
 * creates tickets; `admin` manages the tenant's keys and reads its audit.
 */
export const Scope = Schema.Literals([
  "sessions:read",
  "sessions:write",
  "answer",
  "files",
  "bypass",
  "tickets",
  "admin",
])
export type Scope = typeof Scope.Type

export const SCOPES: ReadonlyArray<Scope> = Scope.literals

/** The scopes of a key that is created without `scopes`. */
export const DEFAULT_SCOPES: ReadonlyArray<Scope> = SCOPES.filter((scope) => scope !== "admin")

/**
 * What a ticket may do in its session. `observe` reads; `prompt` sends user messages, interrupts, and withdraws its own
 * prompts; `answer` answers asks; `control` changes settings, model, system prompt, rules, hooks and MCP servers.
 */
export const TicketRole = Schema.Literals(["observe", "prompt", "answer", "control"])
export type TicketRole = typeof TicketRole.Type

export const ROLES: ReadonlyArray<TicketRole> = TicketRole.literals

/** The scope that a key needs to act in a role, or to create a ticket with it. */
export const SCOPE_OF_ROLE: Readonly<Record<TicketRole, Scope>> = {
  observe: "sessions:read",
  prompt: "sessions:write",
  answer: "answer",
  control: "sessions:write",
}

/** The roles that a key's own sockets have. */
export const rolesOf = (scopes: ReadonlyArray<Scope>): ReadonlyArray<TicketRole> =>
  ROLES.filter((role) => scopes.includes(SCOPE_OF_ROLE[role]))

/** Who did something, as events and the audit name them: a key's id or `root`, the ticket that was used, and the address. */
export const Who = Schema.Struct({
  key: Schema.String,
  ticket: Schema.optionalKey(Schema.String),
  address: Schema.optionalKey(Schema.String),
})
export type Who = typeof Who.Type

/** Who acts on a session, and what they may do there. Made by the Worker alone. */
export const Actor = Schema.Struct({
  ...Who.fields,
  roles: Schema.Array(TicketRole),
  bypass: Schema.Boolean,
  files: Schema.Boolean,
  /** How many times the key had been rolled when this credential was made. */
  generation: Schema.Int,
  /** When the credential expires, and when its key was last looked up, in milliseconds since 1970. */
  expires: Schema.NullOr(Schema.Int),
  checked: Schema.Int,
  /** The version of the tenant's definitions; absent when it has none. */
  definitions: Schema.optionalKey(Schema.Int),
})
export type Actor = typeof Actor.Type

/** The id of the root key, and the name of its tenant. */
export const ROOT = "root"

/** The header with the actor, as JSON, of the Worker's own requests to a session's object. */
export const ACTOR_HEADER = "x-perch-actor"

/** The part of an actor that is stored. */
export const whoOf = ({ key, ticket, address }: Who): Who => ({
  key,
  ...(ticket === undefined ? {} : { ticket }),
  ...(address === undefined ? {} : { address }),
})

/** The field of an event that names who caused it; no field for what Perch does itself. */
export const actorField = (by: Who | undefined): { readonly actor?: Who } =>
  by === undefined ? {} : { actor: whoOf(by) }
