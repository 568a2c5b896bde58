// The contract between the Worker and a session's Durable Object.
// Invariant: expected failures are values; an exception is a defect.
import type { SavedApproval } from "../permissions-saved.ts"
import type { SDKControlGetContextUsageResponse } from "../sdk/control/context-report.ts"
import type { BackupPage, RestoreReport } from "../api/backup.ts"
import type { Progress } from "../api/progress.ts"
import type { Actor } from "../access.ts"
import type { RpcResult } from "../errors/rpc-error.ts"
import type { PermissionMode } from "../sdk/options/permissions.ts"
import type { OptionChanges } from "./option-changes.ts"
import type { RebuiltRows } from "../api/rebuild.ts"
import type { SessionInfo, CreateArgs, ReopenArgs, Reopened } from "./session.ts"
import type { EraseReceipt, PendingAsk, TakenFrames, TodoEntry } from "../api/api.ts"
import type { CostReport } from "../api/catalogue.ts"
import type { Rewind, RewindReport, Diff } from "../api/files.ts"
import type { ForkArgs, ExportCut, ExportStart, ExportedEvents, ExportedFiles, ExportedChunk } from "./fork.ts"
import type { CallbackOutcome, OAuthCallback } from "./oauth-callback.ts"
import type { RecordedPage } from "./recorded-page.ts"
import type { SubmitArgs, Submitted, TurnStatus, TurnInfo, TurnsPage, WaitUntil } from "./turns.ts"
import type { SessionCommandsReport } from "./reports.ts"
import type { RevertArgs, UnrevertArgs } from "./revert.ts"
import type { FilesPage, DiffQuery } from "./files.ts"
import type { CallOutcome, CallableTools, ToolCatalogue } from "./tools.ts"

/**
 * The RPC methods of a session's Durable Object (stub from `env.SESSIONS.getByName(`${tenant}/${id}`)`).
 * In addition, its `fetch` answers these internal paths:
 *  - `GET http://session/feed?after=N|head&turn=UUID&partials=true|turn&client=ID&signals=PATTERN&facts=1` with
 *    `Upgrade: websocket`: the live feed, see `FeedLine`; with `client` it is also the read side of that client of the control
 *    protocol;
 *  - `GET http://session/query?turn=UUID&partials=turn` with `Upgrade: websocket` and the `SubmitArgs` in `SUBMISSION_HEADER`: submits
 *    a short prompt and opens the feed behind it, in one call; `SUBMITTED_HEADER` of the answer is its `Submitted`;
 *  - `GET http://session/socket?client=ID&framing=plain|numbered&after=N|head` with `Upgrade: websocket`: the control protocol;
 *  - `GET|PUT|DELETE http://session/files/ABSOLUTE/PATH`: bytes of the workspace (PUT makes parents, 201 new or 200; DELETE 204;
 *    errors are JSON `RpcError` with the matching status; `x-perch-file-info` has the `FileInfo` as JSON on GET and PUT).
 *    `If-Match`, `If-None-Match`, `If-Range` and `Range` (one range) are supported; `etag` identifies the content.
 *  - `GET http://session/events?after=N&limit=N&order=asc|desc&name=NAME`: a page as the API returns it, bounded in bytes;
 *  - `GET http://session/messages?after=ID&limit=N&format=parts|sdk&source=log`: the same of messages; a 204 means that D1 has
 *    the whole of a long conversation;
 *  - `GET http://session/files/ABSOLUTE/PATH?at=SEQ`: the bytes of a file as they were after that event;
 *  - `GET http://session/run?turn=UUID&wait=MS`: the `AgentRunStatus` of a run, once it is over or after `wait` milliseconds;
 *  - `GET http://session/facts?after=N&limit=N`: a page of the log as lines of a feed of facts, see `feed-line.ts`;
 *  - `GET http://session/media/HASH`: the base64 of media that a line of the feed refers to;
 *  - `GET|PUT http://session/archive?path=PATH&format=tar|tar.gz`: the tree below a path as a tar stream; PUT answers `ImportReport`.
 * Requests for the feed and the socket of a client have its actor in the header `ACTOR_HEADER`. A caller without an actor is
 * Perch itself, and may do everything: routes always pass an actor.
 * A session that does not exist answers `not_found_error` (404) and writes nothing.
 */
export interface SessionRpc {
  create(args: CreateArgs): Promise<RpcResult<{ readonly session: SessionInfo; readonly created: boolean }>>
  /**
   * Resumes a session with other options, as a client that resumes it does: they replace the session's own. An unknown `at`
   * is a `not_found_error`; `at` while a turn is open is a `conflict_error`. Nothing is changed then.
   */
  reopen(args: ReopenArgs): Promise<RpcResult<Reopened>>
  /** Creates this session as a copy of another one of the same tenant, completely or not at all. Idempotent like `create`. */
  fork(args: ForkArgs): Promise<RpcResult<{ readonly session: SessionInfo; readonly created: boolean }>>
  /** The methods that a fork calls, in this order; each answer has at most 4 MiB. */
  exportStart(args: { readonly at?: string }): Promise<RpcResult<ExportStart>>
  exportLog(args: { readonly cut: ExportCut; readonly after: number }): Promise<RpcResult<ExportedEvents>>
  exportFiles(args: { readonly cut: ExportCut; readonly after: string }): Promise<RpcResult<ExportedFiles>>
  /** Chunks of blobs, in the order of `hashes`, beginning with chunk `from` of the first hash: as many as fit. */
  exportBlobs(args: {
    readonly hashes: ReadonlyArray<string>
    readonly from: number
  }): Promise<RpcResult<ReadonlyArray<ExportedChunk>>>
  /** A page of the session's backup, sealed for this deployment; the cursor null returns the first page. */
  backupPage(cursor: string | null): Promise<RpcResult<BackupPage>>
  /** A page of what the session has recorded; null returns the first page. */
  recordedPage(after: string | null): Promise<RpcResult<RecordedPage>>
  /** Writes a page of a backup into an object without a session; the last page creates the session. */
  restorePage(page: BackupPage, actor?: Actor): Promise<RpcResult<RestoreReport>>
  /**
   * Stores the session of a request with an Idempotency-Key; the object that the key names is the lock. The same request
   * returns the same session again, a different one an `unprocessable_error`.
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
      readonly options?: OptionChanges
      /** Changes as by the control requests `set_permission_mode` and `set_model`: clients are sent their messages. */
      readonly mode?: PermissionMode
      readonly model?: string | null
    },
    actor?: Actor,
  ): Promise<RpcResult<SessionInfo>>
  /** Cuts the conversation before a message; a `conflict_error` while a turn is open. */
  revert(args: RevertArgs): Promise<RpcResult<SessionInfo>>
  /** Undoes the reverts since the last prompt; a `conflict_error` when there are none. */
  unrevert(args: UnrevertArgs): Promise<RpcResult<SessionInfo>>
  erase(actor?: Actor): Promise<RpcResult<EraseReceipt>>
  /** Rebuilds the session's rows in D1 from its log; safe to repeat. */
  rebuild(): Promise<RpcResult<RebuiltRows>>
  submit(args: SubmitArgs): Promise<RpcResult<Submitted>>
  /** Resolves when the turn has ended or waits for an ask, or after `timeoutMs` with its current status. */
  wait(turn: string, timeoutMs: number): Promise<RpcResult<TurnStatus>>
  /** As `wait`, with everything that the API shows of a turn; `timeoutMs` 0 does not wait. */
  turn(turn: string, timeoutMs: number, until: WaitUntil): Promise<RpcResult<TurnInfo>>
  /** Turns in the order of their prompts; `cursor` is a page's `next_cursor`. */
  turns(query: {
    readonly cursor?: string
    readonly limit: number
    readonly order: "asc" | "desc"
  }): Promise<RpcResult<TurnsPage>>
  interrupt(): Promise<RpcResult<{ readonly interrupted: boolean; readonly still_queued: ReadonlyArray<string> }>>
  /** Stops one turn: the running one, or a queued one, which then never runs. */
  stopTurn(turn: string, actor?: Actor): Promise<RpcResult<{ readonly stopped: boolean }>>
  /** Receives the callback of a user's browser from the authorization server of an MCP server. */
  oauthCallback(callback: OAuthCallback): Promise<RpcResult<{ readonly outcome: CallbackOutcome }>>
  asks(): Promise<RpcResult<ReadonlyArray<PendingAsk>>>
  answer(
    requestId: string,
    answer: Record<string, unknown>,
    actor?: Actor,
  ): Promise<
    RpcResult<{
      readonly request_id: string
      readonly status: "settled"
      readonly turn_id: string
      readonly saved?: ReadonlyArray<SavedApproval>
    }>
  >
  /** The saved approvals; with `revoke`, after revoking the approval with this id. */
  savedPermissions(revoke?: string, actor?: Actor): Promise<RpcResult<{ readonly saved: ReadonlyArray<SavedApproval> }>>
  /** The todo list. `at`, here and in `cost`: as it was right after that event. */
  todos(at?: number): Promise<RpcResult<{ readonly todos: ReadonlyArray<TodoEntry> }>>
  cost(at?: number): Promise<RpcResult<CostReport>>
  /** The current slash commands of the session, including those that its tenant has stored. */
  commands(actor?: Actor): Promise<RpcResult<SessionCommandsReport>>
  /** How the conversation fills the model's window. */
  contextUsage(): Promise<RpcResult<SDKControlGetContextUsageResponse>>
  progress(): Promise<RpcResult<Progress>>
  putProgress(text: string, actor?: Actor): Promise<RpcResult<Progress>>
  tools(): Promise<RpcResult<CallableTools>>
  toolCatalogue(): Promise<RpcResult<ToolCatalogue>>
  /**
   * Calls one of `tools()` outside any turn, as a turn would: a call that fails or is not permitted returns a result with
   * `is_error`. A call that could change the workspace while a turn is open is a `conflict_error`. `callId` is the id under
   * which `cancelTool` cancels it.
   */
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    actor?: Actor,
    callId?: string,
  ): Promise<RpcResult<CallOutcome>>
  /** Stops a call of `callTool` that runs or waits; false when there is none. A call that has not changed anything changes nothing. */
  cancelTool(callId: string): Promise<RpcResult<boolean>>
  /** Receives frames of the control protocol from a client that writes by HTTP and reads its answers on a feed of that name. */
  clientFrames(
    client: string,
    frames: ReadonlyArray<Readonly<Record<string, unknown>>>,
    actor?: Actor,
  ): Promise<RpcResult<TakenFrames>>
  files(query: {
    readonly prefix: string
    readonly cursor?: string
    readonly limit: number
    readonly at?: number
  }): Promise<RpcResult<FilesPage>>
  /** A `conflict_error` while a turn is open, unless it is a dry run. */
  rewind(args: Rewind): Promise<RpcResult<RewindReport>>
  diff(query: DiffQuery): Promise<RpcResult<Diff>>
  /** The uuids of the user messages to which files can be rewound, in order. */
  checkpoints(): Promise<RpcResult<{ readonly checkpoints: ReadonlyArray<string> }>>
}
