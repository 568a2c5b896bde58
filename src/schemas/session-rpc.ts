// What the Worker and a session's Durable Object say to each other.
// Invariant: expected failures are values; whatever is thrown across is a defect.
import { Schema } from "effect"
import type { BackupPage, RestoreReport } from "./api/backup.ts"
import type { LogEvent, TurnQueued } from "./log/events.ts"
import type { Actor } from "./access.ts"
import type { RpcResult } from "./errors/rpc-error.ts"
import { SessionOptions } from "./sdk/options/options.ts"
import type { CostBreakdown } from "./sdk/messages/usage.ts"
import type { ToolErrorReason } from "./sdk/tools/tool-error-reason.ts"
import type { RebuiltRows } from "./api/rebuild.ts"
import type { PermissionUpdate } from "./sdk/options/permissions.ts"

export const SessionState = Schema.Literals(["idle", "running", "requires_action"])
export type SessionState = typeof SessionState.Type

const Metadata = Schema.Record(
  Schema.String.check(Schema.isMaxLength(64)),
  Schema.String.check(Schema.isMaxLength(1024)),
)

/**
 * How far D1 and the Queue have got with the session's log: `lag_events` events are not in both yet. Through `stored_seq`
 * D1 has every hook event that the Queue took; what it lacks is sent again. `last_error` says why the last attempt failed,
 * until one succeeds.
 */
export const Delivery = Schema.Struct({
  last_seq: Schema.Int,
  d1_seq: Schema.Int,
  queue_seq: Schema.Int,
  stored_seq: Schema.Int,
  lag_events: Schema.Int,
  oldest_undelivered_at: Schema.NullOr(Schema.String),
  last_error: Schema.optionalKey(Schema.Struct({ at: Schema.String, message: Schema.String })),
})
export type Delivery = typeof Delivery.Type

/** A session as the API shows it. Times are ISO 8601. */
export const SessionInfo = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("session"),
  title: Schema.NullOr(Schema.String),
  cwd: Schema.String,
  state: SessionState,
  model: Schema.String,
  permissionMode: Schema.String,
  options: SessionOptions,
  metadata: Metadata,
  created_at: Schema.String,
  updated_at: Schema.String,
  /** Number of turns that ended in a `result`. */
  turns: Schema.Int,
  total_cost_usd: Schema.Finite,
  last_seq: Schema.Int,
  /** Where one session is read. */
  delivery: Schema.optionalKey(Delivery),
})
export type SessionInfo = typeof SessionInfo.Type

/** What a new session is made of; the route has checked it. */
export const NewSession = Schema.Struct({
  cwd: Schema.String,
  title: Schema.NullOr(Schema.String),
  metadata: Metadata,
  options: SessionOptions,
})
export type NewSession = typeof NewSession.Type

/**
 * `fingerprint` is a hash of the request that asks: creating the same id with the same fingerprint is the same
 * creation (idempotent); with another it is a conflict. Without a fingerprint an existing id is a conflict.
 */
export interface CreateArgs {
  readonly session: NewSession
  readonly actor?: Actor
  /** What the conversation begins with; `historyEvents` made them. */
  readonly history?: ReadonlyArray<Omit<LogEvent, "seq">>
  readonly fingerprint?: string
}

/** `at` is the uuid of the message after which the conversation goes on. The same `once` again changes nothing. */
export interface ReopenArgs {
  readonly actor?: Actor
  readonly options: SessionOptions
  readonly at?: string
  readonly once?: { readonly key: string; readonly fingerprint: string }
}

/** Absent fields are the parent's own; `merge` puts `options` over the parent's, otherwise they replace them. */
export interface ForkArgs {
  readonly actor?: Actor
  readonly parent: string
  readonly at?: string
  readonly title?: string | null
  readonly metadata?: Record<string, string>
  readonly options: SessionOptions
  readonly merge: boolean
  readonly fingerprint?: string
}

/** What a fork is made of: events up to `through`, files as they were at the checkpoint `tree`. */
export interface ExportCut {
  readonly through: number
  readonly tree: string
}

export interface ExportStart {
  readonly cut: ExportCut
  /** The session as `SessionRecord` has it; `head` is the place of the message `at` in the copy. */
  readonly session: NewSession & { readonly permission_updates: ReadonlyArray<PermissionUpdate> }
  readonly head: number | null
}

/** An event with its place in the copy. One that is too long for a page is the blob `blob`. */
export interface ExportedEvent extends Omit<LogEvent, "payload"> {
  readonly json: string | null
  readonly blob: string | null
  /** Marks of media stand in the text as it is stored, see `media-mark.ts`. */
  readonly marked: boolean
  /** The prompt's row of the inbox, on its `turn:queued`. */
  readonly prompt?: { readonly fingerprint: string; readonly result_seq: number }
}

/** `next` is the `after` of the next page, or null. */
export interface ExportedEvents {
  readonly events: ReadonlyArray<ExportedEvent>
  readonly next: number | null
}

/** A file, directory or symlink; `hash` names the content of a file. */
export interface ExportedFile {
  readonly path: string
  readonly type: "file" | "directory" | "symlink"
  readonly mode: number
  readonly mtime: number
  readonly size: number
  readonly hash: string
  readonly target: string
}

export interface ExportedFiles {
  readonly files: ReadonlyArray<ExportedFile>
  readonly next: string | null
}

export interface ExportedChunk {
  readonly hash: string
  readonly last: boolean
  readonly data: Uint8Array
}

export const ContentBlock = Schema.Record(Schema.String, Schema.Unknown)
export const Prompt = Schema.Union([Schema.String, Schema.Array(ContentBlock)])
export type Prompt = typeof Prompt.Type

export const OnBusy = Schema.Literals(["queue", "interrupt", "reject"])
export type OnBusy = typeof OnBusy.Type

/** One prompt. `turn` is its uuid, which names the turn; sending it again gives the same turn. */
export interface SubmitArgs {
  readonly turn: string
  readonly prompt: Prompt
  readonly onBusy: OnBusy
  readonly options: SessionOptions
  /** Hash of the request: the same `turn` with another fingerprint is an `unprocessable_error`. */
  readonly fingerprint: string
  readonly actor?: Actor
  /** Present on `POST /v1/query`: creates the session first, in the same step. */
  readonly create?: CreateArgs
  /** How it came, when a client of the control protocol sent it; see `TurnQueued`. */
  readonly manner?: Pick<TurnQueued, "mayJoin" | "told" | "silent" | "later" | "synthetic">
}

/**
 * `queued` behind other prompts; `running`; `requires_action`: it waits for an answer. It ended as `completed`; `failed`, with
 * an error result; `interrupted`, when a client stopped it; or `cancelled`, when it was taken back before it ran.
 */
export const TurnState = Schema.Literals([
  "queued",
  "running",
  "requires_action",
  "completed",
  "failed",
  "interrupted",
  "cancelled",
]).annotate({
  identifier: "TurnState",
  description:
    "`queued` behind other prompts, `running`, `requires_action` while it waits for an answer; it ended as `completed`, as `failed` with an error result, as `interrupted` when a client stopped it, or as `cancelled` when it was taken back before it ran.",
})
export type TurnState = typeof TurnState.Type

export interface Submitted {
  readonly turn_id: string
  readonly status: TurnState
  /** The asks that hold the turn up. */
  readonly pending: ReadonlyArray<PendingAsk>
  /** seq of the turn's first event: a viewer that starts before it misses nothing. */
  readonly seq: number
  /** The prompt was submitted before: nothing new begins. */
  readonly replayed: boolean
}

/** A session that was taken up; `replayed`: the same request had taken it up before, and changed nothing now. */
export interface Reopened {
  readonly session: SessionInfo
  readonly replayed: boolean
}

/** An ask as a client sees it. Times are ISO 8601. */
export interface PendingAsk {
  readonly request_id: string
  readonly kind: string
  readonly turn_id: string
  readonly tool_name: string
  readonly tool_use_id: string
  readonly input: Record<string, unknown>
  readonly suggestions?: ReadonlyArray<unknown>
  readonly decision_reason?: string
  readonly decision_reason_type?: string
  readonly blocked_path?: string
  readonly created_at: string
  readonly expires_at: string
}

/**
 * How far a turn has come. `pending` are the asks that hold it up, its own or those of the turn before it. `result` is the
 * SDK's `result` message: null before the end, and for a turn that never ran here.
 */
export interface TurnStatus {
  readonly turn_id: string
  readonly status: TurnState
  readonly pending: ReadonlyArray<PendingAsk>
  readonly result: Record<string, unknown> | null
}

/** A turn as the API shows it; see the schema `Turn`. */
export interface TurnInfo extends TurnStatus {
  readonly type: "turn"
  readonly session_id: string
  readonly joined_turn_id: string | null
  readonly cost_usd: number | null
  readonly queued_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly first_seq: number
  readonly last_seq: number | null
}

/** `next_cursor` is the `cursor` of the next page. */
export interface TurnsPage {
  readonly data: ReadonlyArray<TurnInfo>
  readonly next_cursor: string | null
}

/** What ends a wait for a turn before its time: its end alone, or also an ask that holds it up. */
export const WaitUntil = Schema.Literals(["action", "end"])
export type WaitUntil = typeof WaitUntil.Type

/** An item of a session's todo list or task list, as a user interface shows it. */
export interface TodoEntry {
  readonly id: string
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed"
  readonly priority: "medium"
  readonly activeForm: string
}

export interface CostReport {
  readonly total_cost_usd: number
  /** True when a request used a model without a price: the total leaves it out. */
  readonly has_unpriced: boolean
  readonly model_usage: Record<string, Record<string, unknown>>
  /** What each model cost, by kind of token: the totals add up to `total_cost_usd`. */
  readonly costs: Record<string, CostBreakdown>
  readonly cache_hit_rate: number | null
  readonly requests: number
}

export interface FileInfo {
  readonly path: string
  readonly type: "file" | "directory" | "symlink"
  readonly size: number
  readonly modified_at: string
  /** Permission bits, 0 to 0o777. */
  readonly mode: number
  /** Of a file: SHA-256 of its content, in hexadecimal. */
  readonly sha256?: string
  /** Of a symlink: where it points, as it was given. */
  readonly target?: string
}

export interface FilesPage {
  readonly files: ReadonlyArray<FileInfo>
  readonly next_cursor: string | null
  /** What the whole workspace may hold, and what it holds. */
  readonly limits: { readonly files: number; readonly bytes: number; readonly file_bytes: number }
  readonly used: { readonly files: number; readonly bytes: number }
}

/** What an archive brought; `bytes` are those of its files. */
export interface ImportReport {
  readonly files: number
  readonly directories: number
  readonly links: number
  readonly bytes: number
}

export interface RewindArgs {
  readonly user_message_id: string
  readonly dry_run?: boolean
}

/** As the SDK's `rewindFiles` gives it; `error` says why it can't be done. */
export interface RewindReport {
  readonly canRewind: boolean
  readonly error?: string
  readonly filesChanged?: ReadonlyArray<string>
  readonly insertions?: number
  readonly deletions?: number
  readonly skippedLinks?: number
}

/** Checkpoints are named by the uuid of their user message; `to` is now when it is not given. */
export interface DiffQuery {
  readonly from?: string
  readonly to?: string
}

/** A file that differs; `before` and `after` are cut when it is `truncated`, and empty when it is `binary`. */
export interface DiffFile {
  readonly file: string
  readonly status: "added" | "deleted" | "modified"
  readonly before: string
  readonly after: string
  readonly additions: number
  readonly deletions: number
  readonly binary?: true
  readonly truncated?: true
}

export interface Diff {
  /** Null when there is no checkpoint yet. */
  readonly from: string | null
  readonly to: string | null
  readonly files: ReadonlyArray<DiffFile>
  readonly unified: string
  readonly additions: number
  readonly deletions: number
  readonly truncated: boolean
}

/**
 * What a tool gave: `content` as the Messages API takes it, `output` the SDK's structured `tool_use_result`, `reason` why it
 * failed, where the tool said it.
 */
export interface CalledTool {
  readonly content: string | ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly is_error?: boolean
  readonly output: unknown
  readonly reason?: ToolErrorReason
}

/** The tools that a client may call outside any turn: built-in ones by name, and those of its own clients' MCP servers. */
export interface CallableTools {
  readonly builtIn: ReadonlyArray<string>
  readonly mcp: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly inputSchema: Readonly<Record<string, unknown>>
    readonly readOnly: boolean
    readonly destructive: boolean
    readonly idempotent: boolean
  }>
}

export type ToolSource = "mcp" | "client" | "structured_output"

/** What the model of a session is offered: built-in tools by name, others with their schemas; and what it is not offered. */
export interface ToolCatalogue {
  readonly builtIn: ReadonlyArray<string>
  readonly others: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly source: ToolSource
    readonly server?: string
    readonly input_schema: Readonly<Record<string, unknown>>
    readonly schema_fingerprint: string
    readonly destructive: boolean
    readonly idempotent: boolean
  }>
  readonly rejected: ReadonlyArray<{
    readonly name: string
    readonly source: ToolSource
    readonly server?: string
    readonly reason: string
    readonly issues?: ReadonlyArray<{ readonly path: string; readonly issue: string }>
  }>
}

export interface EraseReceipt {
  readonly id: string
  readonly deleted: true
  readonly deleted_at: string
  readonly events: number
  readonly files: number
}

/**
 * The RPC methods of a session's Durable Object (stub from `env.SESSIONS.getByName(`${tenant}/${id}`)`).
 * Besides, its `fetch` answers seven internal paths:
 *  - `GET http://session/feed?after=N|head&turn=UUID&partials=true|turn&client=ID` with `Upgrade: websocket`: the live feed, see `FeedLine`;
 *    with `client` it is also the read side of that client of the control protocol;
 *  - `GET http://session/socket?client=ID&framing=plain|numbered&after=N|head` with `Upgrade: websocket`: the control protocol;
 *  - `GET|PUT|DELETE http://session/files/ABSOLUTE/PATH`: bytes of the workspace (PUT makes parents, 201 new or 200; DELETE 204;
 *    errors are JSON `RpcError` with the matching status; `x-perch-file-info` holds the `FileInfo` as JSON on GET and PUT).
 *    `If-Match`, `If-None-Match`, `If-Range` and `Range` (one range) hold, and `etag` names the content.
 *  - `GET http://session/events?after=N&limit=N&order=asc|desc&name=NAME` and `GET http://session/messages?after=ID&limit=N&format=parts|sdk&source=log`:
 *    pages as the API answers them, bounded in bytes; a 204 for messages says that D1 has a long conversation whole;
 *  - `GET http://session/media/HASH`: the base64 of media that a line of the feed refers to;
 *  - `GET|PUT http://session/archive?path=PATH&format=tar|tar.gz`: the tree below a path as a tar stream; PUT answers `ImportReport`.
 * The feed and the socket of a client bring who it is in the header `ACTOR_HEADER`. A caller without an actor is
 * Perch itself, and may do everything: routes always name one.
 * A session that does not exist answers `not_found_error` (404) and writes nothing.
 */
export interface MessagesPage {
  /** Each `{info, parts}`. */
  readonly messages: ReadonlyArray<unknown>
  readonly has_more: boolean
}

export interface SessionRpc {
  create(args: CreateArgs): Promise<RpcResult<{ readonly session: SessionInfo; readonly created: boolean }>>
  /**
   * Takes a session that exists with other options, as a client that resumes it does: they replace the session's own.
   * An unknown `at` is a `not_found_error`, and a `conflict_error` while a turn is open; nothing is changed then.
   */
  reopen(args: ReopenArgs): Promise<RpcResult<Reopened>>
  /** Makes this session as a copy of another of the same tenant: all of it, or nothing at all. Idempotent as `create` is. */
  fork(args: ForkArgs): Promise<RpcResult<{ readonly session: SessionInfo; readonly created: boolean }>>
  /** What a fork reads, in this order; each answer is at most 4 MiB. */
  exportStart(args: { readonly at?: string }): Promise<RpcResult<ExportStart>>
  exportLog(args: { readonly cut: ExportCut; readonly after: number }): Promise<RpcResult<ExportedEvents>>
  exportFiles(args: { readonly cut: ExportCut; readonly after: string }): Promise<RpcResult<ExportedFiles>>
  /** Chunks of blobs, in the order of `hashes`, from chunk `from` of the first: as many as fit. */
  exportBlobs(args: {
    readonly hashes: ReadonlyArray<string>
    readonly from: number
  }): Promise<RpcResult<ReadonlyArray<ExportedChunk>>>
  /** A page of the session's backup; null is the first. Sealed for this deployment. */
  backupPage(cursor: string | null): Promise<RpcResult<BackupPage>>
  /** Writes a page of a backup into an object without a session; the last page makes the session. */
  restorePage(page: BackupPage, actor?: Actor): Promise<RpcResult<RestoreReport>>
  /**
   * Remembers which session a request with an Idempotency-Key means; the object that the key names is the lock. The same
   * request again gets the same session, another one an `unprocessable_error`.
   */
  claim(args: {
    readonly fingerprint: string
    readonly session: string
  }): Promise<RpcResult<{ readonly session: string }>>
  info(): Promise<RpcResult<SessionInfo>>
  patch(
    change: {
      readonly title?: string | null
      readonly metadata?: Record<string, string>
      readonly options?: SessionOptions
    },
    actor?: Actor,
  ): Promise<RpcResult<SessionInfo>>
  erase(actor?: Actor): Promise<RpcResult<EraseReceipt>>
  /** Writes the session's rows in D1 anew from its log; again changes nothing. */
  rebuild(): Promise<RpcResult<RebuiltRows>>
  submit(args: SubmitArgs): Promise<RpcResult<Submitted>>
  /** Resolves when the turn has ended or an ask holds it up, or after `timeoutMs` with how far it has come. */
  wait(turn: string, timeoutMs: number): Promise<RpcResult<TurnStatus>>
  /** The same with all that the API shows of a turn; `timeoutMs` 0 does not wait. */
  turn(turn: string, timeoutMs: number, until: WaitUntil): Promise<RpcResult<TurnInfo>>
  /** Turns in the order of their prompts; `cursor` is a page's `next_cursor`. */
  turns(query: {
    readonly cursor?: string
    readonly limit: number
    readonly order: "asc" | "desc"
  }): Promise<RpcResult<TurnsPage>>
  interrupt(): Promise<RpcResult<{ readonly interrupted: boolean; readonly still_queued: ReadonlyArray<string> }>>
  asks(): Promise<RpcResult<ReadonlyArray<PendingAsk>>>
  answer(
    requestId: string,
    answer: Record<string, unknown>,
    actor?: Actor,
  ): Promise<RpcResult<{ readonly request_id: string; readonly status: "settled"; readonly turn_id: string }>>
  todos(): Promise<RpcResult<{ readonly todos: ReadonlyArray<TodoEntry> }>>
  cost(): Promise<RpcResult<CostReport>>
  tools(): Promise<RpcResult<CallableTools>>
  toolCatalogue(): Promise<RpcResult<ToolCatalogue>>
  /**
   * Calls one of `tools()` outside any turn, as a turn would: what fails or is not permitted is a result with
   * `is_error`. A call that could change the workspace while a turn is open is a `conflict_error`.
   */
  callTool(name: string, input: Readonly<Record<string, unknown>>, actor?: Actor): Promise<RpcResult<CalledTool>>
  /** Takes frames of the control protocol from a client that writes by HTTP and reads its answers on a feed of that name. */
  clientFrames(
    client: string,
    frames: ReadonlyArray<Readonly<Record<string, unknown>>>,
    actor?: Actor,
  ): Promise<RpcResult<{ readonly accepted: number }>>
  files(query: {
    readonly prefix: string
    readonly cursor?: string
    readonly limit: number
  }): Promise<RpcResult<FilesPage>>
  /** A `conflict_error` while a turn is open, unless it is a dry run. */
  rewind(args: RewindArgs): Promise<RpcResult<RewindReport>>
  diff(query: DiffQuery): Promise<RpcResult<Diff>>
  /** The uuids of the user messages that files can be rewound to, in their order. */
  checkpoints(): Promise<RpcResult<{ readonly checkpoints: ReadonlyArray<string> }>>
}
