// How much a tenant, a key, a session and an address may do, and what the tenant's object reports about it.
// Invariant: every limit has a default that no ordinary app reaches; a deployment sets others, and a tenant may have its own.
import * as Schema from "effect/Schema"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

/** Some of the limits: what a deployment (`PERCH_LIMITS`) or a tenant sets. */
export const LimitSettings = Schema.Struct({
  /** HTTP requests of a tenant, all its keys together. */
  requests_per_minute: Schema.optionalKey(Count),
  /** HTTP requests of one key, its tickets included. */
  requests_per_minute_per_key: Schema.optionalKey(Count),
  /** Sessions of a tenant that were made and not erased. */
  open_sessions: Schema.optionalKey(Count),
  /** Turns of a tenant that run at once; one that waits for an answer does not run. */
  running_turns: Schema.optionalKey(Count),
  /** Turns of a tenant that run at once, while further ones wait for their place; 0 lets all run. */
  lane_turns: Schema.optionalKey(Count),
  /** Runs of workflows of a tenant that have not ended. */
  running_workflows: Schema.optionalKey(Count),
  /** Prompts of a session that wait behind its turn. */
  queued_prompts: Schema.optionalKey(Count),
  /** WebSockets of the control protocol on a session. */
  sockets_per_session: Schema.optionalKey(Count),
  /** Event streams of a session: SSE, and answers that stream. */
  streams_per_session: Schema.optionalKey(Count),
  /** Credentials from one address that are not good. */
  failed_sign_ins_per_minute: Schema.optionalKey(Count),
}).annotate({ identifier: "Limits" })
export type LimitSettings = typeof LimitSettings.Type
export type Limits = Required<LimitSettings>

export const DEFAULT_LIMITS: Limits = {
  requests_per_minute: 60_000,
  requests_per_minute_per_key: 60_000,
  open_sessions: 1_000_000,
  running_turns: 2000,
  lane_turns: 0,
  running_workflows: 1000,
  queued_prompts: 100,
  sockets_per_session: 200,
  streams_per_session: 1000,
  failed_sign_ins_per_minute: 100,
}

export const WINDOW_MS = 60_000

/** Requests that an isolate may let in until `until` (milliseconds since 1970) without asking again. */
export interface Lease {
  readonly granted: number
  /** What the tenant, or the key, has left after this grant. */
  readonly left: number
  readonly until: number
  readonly limits: Limits
}

/** The answer to a turn or a session that is about to begin. `count` is how many there are, this one included. */
export interface Admission {
  readonly admitted: boolean
  readonly count: number
  readonly limits: Limits
}

/** What the tenant's object counts. */
export interface TenantUse {
  readonly open_sessions: number
  readonly running_turns: number
}

/** The limits that a tenant has of its own, those that hold, and what is used of them. */
export interface TenantState {
  readonly own: LimitSettings
  readonly limits: Limits
  readonly used: TenantUse
}

export interface SessionIdsPage {
  readonly ids: ReadonlyArray<string>
  readonly next: string | null
}

/** What became of a sign-in code that was presented; `blocked` is one that too many wrong guesses were made at. */
export type CodeOutcome = "taken" | "used" | "expired" | "blocked" | "wrong"

/** The RPC methods of a tenant's Durable Object (stub from `env.TENANTS.getByName(tenant)`). */
export interface TenantRpc {
  lease(args: { readonly key: string; readonly wanted: number }): Promise<Lease>
  /** Takes a slot for the turn of a session; `always` for one that has begun before and goes on. Renews a slot it has. */
  beginTurn(args: { readonly session: string; readonly always: boolean }): Promise<Admission>
  endTurn(args: { readonly session: string }): Promise<void>
  /** How many turns run in an isolate, for tenants with room; `count` is those of all isolates. */
  reportTurns(args: { readonly isolate: string; readonly running: number }): Promise<Admission>
  /** Counts a session that is about to be made; again with the same id changes nothing. */
  openSession(args: { readonly session: string; readonly always: boolean }): Promise<Admission>
  closeSession(args: { readonly session: string }): Promise<void>
  /** The ids of the tenant's sessions after `after`, in their order; `next` is the `after` of the page behind it. */
  sessions(args: { readonly after: string; readonly limit: number }): Promise<SessionIdsPage>
  limits(): Promise<TenantState>
  /** Replaces the tenant's own limits. */
  setLimits(own: LimitSettings): Promise<TenantState>
  /** Adds failed sign-ins of an address, whose object this is; gives their number in this window. */
  failedSignIns(args: { readonly count: number }): Promise<{ readonly count: number; readonly until: number }>
  /** Keeps the SHA-256 of a new sign-in code; gives until when the code is good. */
  offerCode(args: { readonly hash: string }): Promise<{ readonly until: number }>
  /** Uses a sign-in code up, or counts a wrong guess. */
  takeCode(args: { readonly hash: string }): Promise<CodeOutcome>
}

/** The `TENANTS` binding. An object is named by its tenant, `address:ADDRESS`, or `SIGN_IN_OBJECT`. */
export interface TenantNamespace {
  getByName(name: string): TenantRpc
}

/** The object with the sign-in codes of a local server. No tenant has a name like this. */
export const SIGN_IN_OBJECT = "sign-in:codes"

const decodeSettings = Schema.decodeUnknownResult(Schema.fromJsonString(LimitSettings), { onExcessProperty: "error" })

/** The limits of a deployment, from its setting; undefined when that is not readable. */
export const limitsOf = (setting: string): Limits | undefined => {
  const read = decodeSettings(setting)
  return read._tag === "Success" ? { ...DEFAULT_LIMITS, ...read.success } : undefined
}
