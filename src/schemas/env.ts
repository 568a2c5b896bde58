// What the platform gives the Worker and the Durable Object: bindings, secrets and settings. Types only.
// The object's binding is typed by its contract, not by its class, so that nothing here imports `session/`.
import type { TenantNamespace } from "./limits.ts"
import type { WebhookNamespace } from "./api/webhooks.ts"
import type { Actor } from "./access.ts"
import type { CreateArgs, ReopenArgs } from "./rpc/session.ts"
import type { ForkArgs } from "./rpc/fork.ts"
import type { LaneNamespace } from "./rpc/lane-rpc.ts"
import type { RecordingNamespace } from "./rpc/recording-rpc.ts"
import type { SessionRpc } from "./rpc/session-rpc.ts"
import type { SubmitArgs } from "./rpc/turns.ts"
import type { WorkflowNamespace } from "./rpc/workflow-rpc.ts"

type Acting<Args> = Args & { readonly actor: Actor }
type Parameter<Method extends keyof SessionRpc, Index extends number> = Parameters<SessionRpc[Method]>[Index]

/** The methods that change a session, as the Worker calls them: never without the actor. */
interface ActingMethods {
  create(args: Acting<CreateArgs>): ReturnType<SessionRpc["create"]>
  reopen(args: Acting<ReopenArgs>): ReturnType<SessionRpc["reopen"]>
  fork(args: Acting<ForkArgs>): ReturnType<SessionRpc["fork"]>
  submit(args: Acting<SubmitArgs> & { readonly create?: Acting<CreateArgs> }): ReturnType<SessionRpc["submit"]>
  patch(change: Parameter<"patch", 0>, actor: Actor): ReturnType<SessionRpc["patch"]>
  erase(actor: Actor): ReturnType<SessionRpc["erase"]>
  answer(id: string, answer: Parameter<"answer", 1>, actor: Actor): ReturnType<SessionRpc["answer"]>
  restorePage(page: Parameter<"restorePage", 0>, actor: Actor): ReturnType<SessionRpc["restorePage"]>
  callTool(name: string, input: Parameter<"callTool", 1>, actor: Actor): ReturnType<SessionRpc["callTool"]>
  clientFrames(
    client: string,
    frames: Parameter<"clientFrames", 1>,
    actor: Actor,
  ): ReturnType<SessionRpc["clientFrames"]>
}

/** A session's object as the Worker sees it: the RPC methods, and `fetch` for the feed socket and file bytes. */
export interface SessionStub extends Omit<SessionRpc, keyof ActingMethods>, ActingMethods {
  fetch(input: string, init?: RequestInit): Promise<Response>
}

/** The `SESSIONS` binding; a session's name is `tenant/session-id`. */
export interface SessionNamespace {
  getByName(name: string): SessionStub
}

export interface Env {
  readonly SESSIONS: SessionNamespace
  readonly DB: D1Database
  readonly HOOKS: Queue
  readonly TENANTS: TenantNamespace
  readonly LANES: LaneNamespace
  readonly WEBHOOKS: WebhookNamespace
  readonly WORKFLOWS: WorkflowNamespace
  readonly RECORDINGS: RecordingNamespace
  /** Analytics Engine, where it is bound: a data point per turn and per request. */
  readonly METRICS?: AnalyticsEngineDataset
  readonly ASSETS: Fetcher
  /** The key of tenant `root`. Without it the API answers 503. */
  readonly PERCH_ROOT_KEY?: string
  /** What the secrets in backups are sealed with; the root key when it is not set. */
  readonly PERCH_BACKUP_KEY?: string
  /** Without a key (and without a base URL) the offline model answers. */
  readonly ANTHROPIC_API_KEY?: string
  readonly ANTHROPIC_BASE_URL?: string
  /** Where a workflow's run may ask OpenAI (`harness: "openai"`). Without a key and without a base URL no run may. */
  readonly OPENAI_API_KEY?: string
  /** Who answers runs (`POST /v1/runs`) that name no runtime: `live`, `offline` or `record`; a live model if there is one when it is not set. */
  readonly PERCH_RUNTIME?: string
  /** A server that offers chat completions, up to `/v1`; OpenAI's own when it is not set. */
  readonly OPENAI_BASE_URL?: string
  /** The model of runs that name none; `gpt-5` when it is not set. */
  readonly OPENAI_MODEL?: string
  /** A line per turn; `requests` logs one per HTTP request besides, `debug` what sessions do, `quiet` neither. Warnings and errors are always logged. */
  readonly PERCH_LOG?: string
  /** Comma-separated origins that browsers may call from; all when it is not set. */
  readonly PERCH_CORS_ORIGINS?: string
  /** JSON as a session's `workspace_limits`: what the workspace of any session may hold at most. */
  readonly PERCH_WORKSPACE_LIMITS?: string
  /** JSON as `LimitSettings`: how much tenants, keys, sessions and addresses may do. */
  readonly PERCH_LIMITS?: string
  /** `true`: HTTP hooks may call private addresses too, for those who run everything in one network. */
  readonly PERCH_ALLOW_PRIVATE_HOOKS?: string
  /** Where browsers reach this Perch, for users who sign in to MCP servers; the address of the last prompt when it is not set. */
  readonly PERCH_PUBLIC_URL?: string
  /** Comma-separated hosts, or `host:port`, that sessions may fetch from although they are private. */
  readonly PERCH_FETCH_ALLOW?: string
  /** The DNS-over-HTTPS address that is asked about a name before it is fetched from; `off` asks none. */
  readonly PERCH_FETCH_RESOLVER?: string
  /** Seconds after which a turn goes on in another invocation of its object, between two of its steps; 720 when it is not set. */
  readonly PERCH_INVOCATION_SECONDS?: string
  /** Set by `npm start` alone: answers how many bytes are free on the disk that holds the state. */
  readonly LOCAL_DISK?: Fetcher
  /** Set by `npm start` alone, where it listens on loopback: `true` lets a page sign in with a one-time code. */
  readonly PERCH_LOCAL_SIGN_IN?: string
  /** Set by `npm start` alone: the runtime and its version, `workerd 1.20261101.0`. */
  readonly PERCH_LOCAL_RUNTIME?: string
  /** Set by `npm start` alone: the hosts that requests may name, comma-separated; all when it is not set. */
  readonly PERCH_LOCAL_HOSTS?: string
}
