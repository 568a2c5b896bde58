// The limits of tenants, keys, sessions and addresses, and the RPC of the tenant's object, which counts their use.
// Invariant: every limit has a default that no ordinary app reaches; a deployment can change it, and for one tenant too.
import * as Schema from "effect/Schema"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

/** Any of the limits, as a deployment (`PERCH_LIMITS`) or a tenant sets them. */
export const LimitSettings = Schema.Struct({
  /** HTTP requests of a tenant per minute, all its keys together. */
  requests_per_minute: Schema.optionalKey(Count),
  /** HTTP requests of one key per minute, including those of its tickets. */
  requests_per_minute_per_key: Schema.optionalKey(Count),
  /** Sessions of a tenant that were created and not erased. */
  open_sessions: Schema.optionalKey(Count),
  /** Turns of a tenant that run at once; a turn that waits for an answer does not count. */
  running_turns: Schema.optionalKey(Count),
  /** Turns of a tenant that run at once, while further turns wait for a place; 0 means no limit. */
  lane_turns: Schema.optionalKey(Count),
  /** Runs of workflows of a tenant that have not ended. */
  running_workflows: Schema.optionalKey(Count),
  /** Prompts of a session that are queued after its running turn. */
  queued_prompts: Schema.optionalKey(Count),
  /** WebSockets of the control protocol on a session. */
  sockets_per_session: Schema.optionalKey(Count),
  /** Event streams of a session or of a run of a workflow: SSE, and answers that stream. */
  streams_per_session: Schema.optionalKey(Count),
  /** Invalid credentials from one address per minute. */
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

/** The window of all limits per minute, in milliseconds. */
export const WINDOW_MS = 60_000

/** The requests that an isolate may admit until `until` (milliseconds since 1970) without asking again. */
export interface Lease {
  readonly granted: number
  /** How many requests the tenant, or the key, has left after this grant. */
  readonly left: number
  readonly until: number
  readonly limits: Limits
}

/** Whether a turn or a session may start. `count` is the number of turns or sessions, including this one if admitted. */
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

/** The limits that were set for a tenant alone, those in effect, and the current use. */
export interface TenantState {
  readonly own: LimitSettings
  readonly limits: Limits
  readonly used: TenantUse
}

export interface SessionIdsPage {
  readonly ids: ReadonlyArray<string>
  readonly next: string | null
}

/** The outcome of presenting a sign-in code; `blocked` means that there were too many wrong guesses against it. */
export type CodeOutcome = "accepted" | "used" | "expired" | "blocked" | "wrong"

/** The RPC methods of a tenant's Durable Object (stub from `env.TENANTS.getByName(tenant)`). */
export interface TenantRpc {
  lease(args: { readonly key: string; readonly wanted: number }): Promise<Lease>
  /** Takes a slot for the turn of a session, or renews its slot; `always` admits a turn that resumes. */
  beginTurn(args: { readonly session: string; readonly always: boolean }): Promise<Admission>
  endTurn(args: { readonly session: string }): Promise<void>
  /** Reports how many turns run in an isolate, for tenants with high limits; `count` is the number in all isolates. */
  reportTurns(args: { readonly isolate: string; readonly running: number }): Promise<Admission>
  /** Counts a session that is about to be created; safe to repeat with the same id. */
  openSession(args: { readonly session: string; readonly always: boolean }): Promise<Admission>
  closeSession(args: { readonly session: string }): Promise<void>
  /** The ids of the tenant's sessions after `after`, in ascending order; `next` is the `after` of the next page, or null. */
  sessions(args: { readonly after: string; readonly limit: number }): Promise<SessionIdsPage>
  limits(): Promise<TenantState>
  /** Replaces the tenant's own limits. */
  setLimits(own: LimitSettings): Promise<TenantState>
  /** Adds failed sign-ins of the address that this object belongs to; returns their number in the current minute. */
  failedSignIns(args: { readonly count: number }): Promise<{ readonly count: number; readonly until: number }>
  /** Stores the SHA-256 of a new sign-in code; returns until when the code is valid (milliseconds since 1970). */
  offerCode(args: { readonly hash: string }): Promise<{ readonly until: number }>
  /** Consumes a sign-in code, or counts a wrong guess. */
  takeCode(args: { readonly hash: string }): Promise<CodeOutcome>
}

/** The `TENANTS` binding. An object is named by its tenant, `address:ADDRESS`, or `SIGN_IN_OBJECT`. */
export interface TenantNamespace {
  getByName(name: string): TenantRpc
}

/** The object with the sign-in codes of a local server. No tenant has a name like this. */
export const SIGN_IN_OBJECT = "sign-in:codes"

const decodeSettings = Schema.decodeUnknownResult(Schema.fromJsonString(LimitSettings), { onExcessProperty: "error" })

/** The limits of a deployment, from its setting; undefined when the setting can't be read. */
export const limitsOf = (setting: string): Limits | undefined => {
  const read = decodeSettings(setting)
  return read._tag === "Success" ? { ...DEFAULT_LIMITS, ...read.success } : undefined
}
