// Slash commands that a tenant stores for all of its sessions, as the API receives and returns them.
// Invariant: the fields of a definition are those of `options.commands`.
import * as Schema from "effect/Schema"
import { COMMAND_FIELDS, CommandName } from "../sdk/options/commands.ts"

/** `PUT /v1/commands/{name}` */
export const PutCommand = Schema.Struct(COMMAND_FIELDS).annotate({ identifier: "PutCommand" })
export type PutCommand = typeof PutCommand.Type

/** `POST /v1/commands` */
export const CreateCommand = Schema.Struct({ name: CommandName, ...COMMAND_FIELDS }).annotate({
  identifier: "CreateCommand",
})

const { template, ...fields } = COMMAND_FIELDS

/** A command that a prompt of one session may call. */
export const SessionCommand = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  argument_hint: Schema.String.annotate({
    description: "The arguments to type after the name; empty when none are expected.",
  }),
  source: Schema.Literals(["built-in", "options", "stored", "workspace", "skill", "mcp"]),
  aliases: Schema.optionalKey(Schema.Array(Schema.String)),
  agent: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "SessionCommand" })
export type SessionCommand = typeof SessionCommand.Type

/** A command that prompts may call. Perch's own commands have no dates; those that a session answers itself, no template. */
export const Command = Schema.Struct({
  name: Schema.String,
  source: Schema.Literals(["built-in", "stored"]),
  template: Schema.optionalKey(template),
  ...fields,
  created_at: Schema.NullOr(Schema.String),
  updated_at: Schema.NullOr(Schema.String),
}).annotate({ identifier: "Command" })
