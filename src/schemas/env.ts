// The environment of the Worker and the Durable Objects: bindings, secrets and settings.
// The objects' bindings are typed by their contracts, not by their classes, so that nothing here imports `session/`.
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

/** The methods that change a session, as the Worker calls them: always with the actor. */
interface ActingMethods {
  create(args: Acting<CreateArgs>): ReturnType<SessionRpc["create"]>
  reopen(args: Acting<ReopenArgs>): ReturnType<SessionRpc["reopen"]>
  fork(args: Acting<ForkArgs>): ReturnType<SessionRpc["fork"]>
  submit(args: Acting<SubmitArgs> & { readonly create?: Acting<CreateArgs> }): ReturnType<SessionRpc["submit"]>
  patch(change: Parameter<"patch", 0>, actor: Actor): ReturnType<SessionRpc["patch"]>
  erase(actor: Actor): ReturnType<SessionRpc["erase"]>
  answer(id: string, answer: Parameter<"answer", 1>, actor: Actor): ReturnType<SessionRpc["answer"]>
  restorePage(page: Parameter<"restorePage", 0>, actor: Actor): ReturnType<SessionRpc["restorePage"]>
  callTool(
    name: string,
    input: Parameter<"callTool", 1>,
    actor: Actor,
    callId?: string,
  ): ReturnType<SessionRpc["callTool"]>
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
  /** The key that seals the secrets in backups; the root key when it is not set. */
  readonly PERCH_BACKUP_KEY?: string
  /** Without a key (and without a base URL) the offline model answers. */
  readonly ANTHROPIC_API_KEY?: string
  readonly ANTHROPIC_BASE_URL?: string
  /** The key for workflow runs with `harness: "openai"`. Without a key and without a base URL no run may use OpenAI. */
  readonly OPENAI_API_KEY?: string
  /** The runtime of runs (`POST /v1/runs`) that name none: `live`, `offline` or `record`; by default a live model if any. */
  readonly PERCH_RUNTIME?: string
  /** The base URL, up to `/v1`, of a server with chat completions; OpenAI's own when it is not set. */
  readonly OPENAI_BASE_URL?: string
  /** The model of runs that name none; `gpt-5` when it is not set. */
  readonly OPENAI_MODEL?: string
  /**
   * The log level. By default one line per turn; `requests` adds one per HTTP request, `debug` adds what sessions do, `quiet`
   * logs none of these. Warnings and errors are always logged.
   */
  readonly PERCH_LOG?: string
  /** Comma-separated origins from which browsers may call the API; all when it is not set. */
  readonly PERCH_CORS_ORIGINS?: string
  /** JSON in the shape of a session's `workspace_limits`: the most that the workspace of any session may contain. */
  readonly PERCH_WORKSPACE_LIMITS?: string
  /** JSON in the shape of `LimitSettings`: the limits of tenants, keys, sessions and addresses. */
  readonly PERCH_LIMITS?: string
  /** `true`: HTTP hooks may also call private addresses, for deployments in one private network. */
  readonly PERCH_ALLOW_PRIVATE_HOOKS?: string
  /** The address at which browsers reach this Perch, for sign-ins to MCP servers; by default, the address of the last prompt. */
  readonly PERCH_PUBLIC_URL?: string
  /** Comma-separated hosts, or `host:port`, that sessions may fetch from although they are private. */
  readonly PERCH_FETCH_ALLOW?: string
  /** The DNS-over-HTTPS address that resolves a name before it is fetched from; `off` skips the check. */
  readonly PERCH_FETCH_RESOLVER?: string
  /** After how many seconds a turn continues in a new invocation of its object, between two steps; 720 when it is not set. */
  readonly PERCH_INVOCATION_SECONDS?: string
  /** Set by `npm start` alone: returns how many bytes are free on the disk with the state. */
  readonly LOCAL_DISK?: Fetcher
  /** Set by `npm start` alone, when it listens on loopback: `true` lets a page sign in with a one-time code. */
  readonly PERCH_LOCAL_SIGN_IN?: string
  /** Set by `npm start` alone: the runtime and its version, `workerd 1.20261101.0`. */
  readonly PERCH_LOCAL_RUNTIME?: string
  /** Set by `npm start` alone: the hosts that requests may name, comma-separated; all when it is not set. */
  readonly PERCH_LOCAL_HOSTS?: string
}

/** True when the built-in model answers: neither a key for the Messages API nor another address of it is set. */
export const isOffline = (env: Pick<Env, "ANTHROPIC_API_KEY" | "ANTHROPIC_BASE_URL">): boolean =>
  !env.ANTHROPIC_API_KEY && !env.ANTHROPIC_BASE_URL
