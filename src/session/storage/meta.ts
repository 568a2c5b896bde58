// The durable facts of a session outside its log, one row each: its record, its outbox cursors, whether its turn is parked.
// Invariant: a value of any size can be stored. One that may exceed a row, which has at most 2 MB, is split over further rows.
import * as Schema from "effect/Schema"
import { StoredDefinitions } from "../../schemas/definitions.ts"
import { ProjectSettings } from "../../agent/project/project-settings.ts"
import type { ConnectedMcp } from "../../mcp/client-server.ts"
import { Who } from "../../schemas/access.ts"
import { Reverted } from "../../schemas/rpc/revert.ts"
import { type CreateArgs, NewSession } from "../../schemas/rpc/session.ts"
import { HookMatchers } from "../../schemas/sdk/hooks/hooks.ts"
import { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import { McpServerToolPolicy } from "../../schemas/sdk/options/mcp-config.ts"
import { AgentDefinition } from "../../schemas/sdk/options/agents.ts"
import { SavedApproval } from "../../schemas/permissions-saved.ts"
import { SessionSettings } from "../../schemas/sdk/options/options.ts"
import { McpServerEntry } from "../../schemas/sdk/options/mcp-entries.ts"
import { McpMode, PermissionMode, PermissionUpdate } from "../../schemas/sdk/options/permissions.ts"
import type { Sql } from "./tables.ts"
import { Attempts } from "./attempts.ts"
import { GenerationRecord } from "../turns/generation.ts"

/** The session itself. `permission_updates` are those that answers made, in order. Times are milliseconds since 1970. */
export const SessionRecord = Schema.Struct({
  id: Schema.String,
  tenant: Schema.String,
  ...NewSession.fields,
  fingerprint: Schema.NullOr(Schema.String),
  permission_updates: Schema.Array(PermissionUpdate),
  /** The approvals that answers saved; without any there is no field. */
  saved_permissions: Schema.optionalKey(Schema.Array(SavedApproval)),
  mode_before_plan: Schema.optionalKey(PermissionMode),
  /** The MCP servers whose tools the session's `bypassPermissions` does not cover, with the mode that applies to them. */
  mcp_modes: Schema.optionalKey(Schema.Record(Schema.String, McpMode)),
  /** The layers of `options.settings`: what clients applied, and the settings under it; without any there is no field. */
  flag_settings: Schema.optionalKey(
    Schema.Struct({ given: SessionSettings, applied: Schema.Record(Schema.String, Schema.Unknown) }),
  ),
  /** The run of a workflow that created the session. */
  run: Schema.optionalKey(Schema.String),
  /** The revert that can be undone, until the next prompt. */
  reverted: Schema.optionalKey(Reverted),
  created_at: Schema.Int,
})
export type SessionRecord = typeof SessionRecord.Type

export const newRecord = (tenant: string, id: string, args: CreateArgs, now: number): SessionRecord => ({
  id,
  tenant,
  ...args.session,
  fingerprint: args.fingerprint ?? null,
  permission_updates: [],
  ...(args.run === undefined ? {} : { run: args.run }),
  created_at: now,
})

const Totals = Schema.Struct({
  /** Turns that ended. */
  turns: Schema.Int,
  /** The cost of all model requests; `/clear` does not restart it. */
  usd: Schema.Finite,
})
export type Totals = typeof Totals.Type

/** A moment at which the session was idle: no prompt, no ask and no background task was open. D1 has the events up to it. */
const Rested = Schema.Struct({
  /** The last event then. */
  seq: Schema.Int,
  /** The place of the workspace's latest checkpoint then; missing in rows of earlier versions. */
  checkpoint: Schema.optionalKey(Schema.Int),
  /** The session's totals up to then; missing in rows of earlier versions. */
  totals: Schema.optionalKey(Totals),
})
export type Rested = typeof Rested.Type

/**
 * How far D1, the Queue and the webhooks have received the log. `head_seq` is the last `head:moved` that the rows in D1
 * follow, 0 when there was none; without it D1 lacks messages: those that a fork copied are its parent's. D1 has every hook
 * event up to `stored_seq`, whatever became of the Queue's messages; without it, D1 was never asked. The tenant's webhooks
 * were offered every event up to `webhook_seq`; without it, up to `d1_seq`. `failures` counts consecutive flushes that
 * failed, `unstored` consecutive checks after which D1 still lacked hook events, `resends` how many of them sent events
 * again. `projection_version` is the version of the fold that made the messages and parts in D1; without it, the first one.
 * `has_queued` is true when prompts waited after the last flush: their messages are not in D1. `rested` is when the session
 * was last idle: an object that starts looks for open prompts and asks only after it. It is in this row because the row is
 * written after every turn anyway.
 */
export const OutboxCursors = Schema.Struct({
  d1_seq: Schema.Int,
  queue_seq: Schema.Int,
  head_seq: Schema.optionalKey(Schema.Int),
  projection_version: Schema.optionalKey(Schema.Int),
  has_queued: Schema.optionalKey(Schema.Boolean),
  stored_seq: Schema.optionalKey(Schema.Int),
  webhook_seq: Schema.optionalKey(Schema.Int),
  failures: Schema.optionalKey(Schema.Int),
  unstored: Schema.optionalKey(Schema.Int),
  resends: Schema.optionalKey(Schema.Int),
  rested: Schema.optionalKey(Rested),
})
export type OutboxCursors = typeof OutboxCursors.Type

/** A command or subagent (`agent` is its type) that runs in the background, as `BackgroundTask` of the tools. */
const Background = Schema.Struct({
  task_id: Schema.String,
  run_id: Schema.String,
  tool_use_id: Schema.String,
  description: Schema.String,
  command: Schema.String,
  output_file: Schema.String,
  started_at: Schema.Int,
  agent: Schema.optionalKey(Schema.String),
})

/**
 * An erasure that has started, and who asked for it: it is completed even if the process dies. `unanswered` is when D1 did
 * not answer: until it is known that D1 has removed the session, the session continues.
 */
const Erasing = Schema.Struct({
  at: Schema.Int,
  by: Schema.optionalKey(Who),
  unanswered: Schema.optionalKey(Schema.Int),
})
export type Erasing = typeof Erasing.Type

/** What remains of a session that was erased: its id is never used again. */
const Erased = Schema.Struct({ at: Schema.Int })

/** Requests with an Idempotency-Key that resumed the session, the newest last. */
const Reopens = Schema.Array(Schema.Struct({ key: Schema.String, fingerprint: Schema.String }))

/**
 * What the object of an idempotency key stores: the session that the key's first request named, and that request's
 * fingerprint.
 */
const Claim = Schema.Struct({ fingerprint: Schema.String, session: Schema.String })

/** The client whose hooks and MCP servers the session uses, with what its `initialize` registered. */
export const Registration = Schema.Struct({
  client: Schema.NullOr(Schema.String),
  /** Set for a client with a ticket: whether it may answer asks. */
  ticket: Schema.optionalKey(Schema.Struct({ answers: Schema.Boolean })),
  /** Set when its key lacks the scope `bypass`. */
  bypass: Schema.optionalKey(Schema.Literal(false)),
  hooks: HookMatchers,
  sdk_servers: Schema.Record(
    Schema.String,
    Schema.Struct({
      timeout: Schema.optionalKey(Schema.Finite),
      tools: Schema.optionalKey(Schema.Array(McpServerToolPolicy)),
    }),
  ),
  /** Servers that were connected; their configuration was checked then. */
  connected: Schema.Array(Schema.Unknown as unknown as Schema.Codec<ConnectedMcp>),
})
export type Registration = typeof Registration.Type

const SHAPES = {
  session: SessionRecord,
  outbox: OutboxCursors,
  /** The turn that waits for an answer with no fiber running. */
  parked: Schema.NullOr(Schema.String),
  /** The last time that a turn was taken over; without any there is no row. */
  generation: GenerationRecord,
  erasing: Erasing,
  erased: Erased,
  clients: Registration,
  /** Set when the session was resumed, until its next turn has started. */
  starting: Schema.Literal("resume"),
  reopens: Reopens,
  /** The session is being copied from another one, and does not exist yet. */
  forking: Schema.Struct({ parent: Schema.String }),
  claim: Claim,
  /** A backup is being restored here: its pages below `next_page` are written, and no session exists yet. */
  restoring: Schema.Struct({ revision: Schema.String, next_page: Schema.Int }),
  /** The HTTP hooks of turns that have not ended, by turn: the log has them masked. */
  turn_hooks: Schema.Record(Schema.String, HttpHookMatchers),
  /** The same of their MCP servers. */
  turn_servers: Schema.Record(Schema.String, Schema.Record(Schema.String, McpServerEntry)),
  /** The same of their agents, where those have MCP servers of their own. */
  turn_agents: Schema.Record(Schema.String, Schema.Record(Schema.String, AgentDefinition)),
  /** The remote MCP servers that a client set; without any there is no row. */
  mcp_servers: Schema.Record(Schema.String, McpServerEntry),
  /** The tenant's definitions, as the session loaded them last; without any there is no row. */
  definitions: StoredDefinitions,
  /**
   * Authorizations that users were asked for, by the hash of their OAuth state; OAuth tokens of MCP servers, by name. Both
   * are sealed; `of` is a hash of the server's configuration.
   */
  mcp_authorizations: Schema.Record(
    Schema.String,
    Schema.Struct({
      server: Schema.String,
      of: Schema.String,
      request_id: Schema.String,
      expires_at: Schema.Finite,
      sealed: Schema.String,
    }),
  ),
  mcp_tokens: Schema.Record(Schema.String, Schema.Struct({ of: Schema.String, sealed: Schema.String })),
  /** The settings of the project as the session took them, by sources; without any there is no row. */
  project_settings: Schema.Record(Schema.String, ProjectSettings),
  /** The commands and subagents that run in the background now; without any there is no row. */
  background: Schema.Array(Background),
  /** The attempts of those subagents that were tried again, by run; without any there is no row. */
  background_attempts: Schema.Record(Schema.String, Attempts),
  /** Since when no client is connected (milliseconds since 1970), of a session that is not to be kept. */
  alone: Schema.Int,
}
type Shapes = typeof SHAPES
type Key = keyof Shapes

/** Characters in a part of a long value; in UTF-8, a part has at most 1.8 MB, less than a row may have. */
const MAX_PART = 450_000
/** The parts of a long value, each of at most `MAX_PART` characters; no character is split. */
const PARTS = /.{1,450000}/gsu

/** The last key of a value's rows: `KEY/00`, `KEY/01` and so on contain its parts. */
const lastKey = (key: Key): string => `${key}/~`

export class Meta {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  get<K extends Key>(key: K): Shapes[K]["Type"] | undefined {
    const [row, ...parts] = this.#sql
      .exec<{ json: string }>("SELECT json FROM meta WHERE key BETWEEN ? AND ? ORDER BY key", key, lastKey(key))
      .toArray()
    if (row === undefined) return undefined
    // `+2`: the value is in two parts. More are those of a longer value before it.
    const text = row.json.startsWith("+")
      ? parts
          .slice(0, Number(row.json))
          .map(({ json }) => json)
          .join("")
      : row.json
    // Can't fail: the decoder belongs to the key, so its result has the key's type.
    return Schema.decodeUnknownSync(SHAPES[key] as Schema.Codec<Shapes[K]["Type"]>)(JSON.parse(text))
  }

  set<K extends Key>(key: K, value: Shapes[K]["Type"]): void {
    const json = JSON.stringify(value)
    if (json.length <= MAX_PART) return this.#write(key, json)
    const parts = json.match(PARTS) ?? []
    this.#write(key, `+${parts.length}`)
    parts.forEach((part, index) => this.#write(`${key}/${String(index).padStart(2, "0")}`, part))
  }

  #write(key: string, json: string): void {
    this.#sql.exec(
      "INSERT INTO meta (key, json) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET json = excluded.json",
      key,
      json,
    )
  }

  delete(key: Key): void {
    this.#sql.exec("DELETE FROM meta WHERE key BETWEEN ? AND ?", key, lastKey(key))
  }
}
