// The permissions in force in a session, and what changes them: a client that sets the mode, a call, an answer.
// Invariant: no answer sets `bypassPermissions` in a session that was not created for it; a mode and the message that
// announces it are written together.
import { usesSkills } from "../../agent/project/skills.ts"
import { systemMessage } from "../../agent/messages/sdk-messages.ts"
import { judging, policyOf, type Policy } from "../../permissions/policy.ts"
import { longerThan, MAX_PATH_BYTES } from "../../schemas/absolute-path.ts"
import { type Actor, actorField } from "../../schemas/access.ts"
import type { AskOpened } from "../../schemas/log/ask-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { McpMode, PermissionMode, PermissionUpdate } from "../../schemas/sdk/options/permissions.ts"
import type { Ruleset } from "../../permissions/ruleset/ruleset.ts"
import { SavedPermissions } from "./saved-permissions.ts"
import type { SessionRecord } from "../storage/meta.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { isSameJson } from "../../schemas/json/same-json.ts"
import type { SessionCore } from "../core.ts"

/** Limits of the permission updates that a session keeps: answers that exceed them are refused, those of hooks are dropped. */
const MAX_PERMISSION_UPDATES = 1000
const MAX_CHARACTERS = 1_000_000

const fits = (updates: ReadonlyArray<PermissionUpdate>): boolean =>
  updates.length <= MAX_PERMISSION_UPDATES && JSON.stringify(updates).length <= MAX_CHARACTERS

const MAX_MCP_MODES = 100
const MAX_SERVER_NAME = 200

const NOT_SUGGESTED = refuse(
  "permission_error",
  "updatedPermissions: with a ticket without the role control, an answer changes permissions only as its question suggested",
  "updatedPermissions",
)

const NONE: ReadonlyArray<string> = []

const withApprovals = (policy: Policy, approvals: Ruleset | undefined): Policy =>
  approvals === undefined ? policy : { ...policy, approvals }

const isTooLong = (update: PermissionUpdate): boolean =>
  "directories" in update && update.directories.some((path) => longerThan(path, MAX_PATH_BYTES))

/** As the official SDK: an update's relative directories are below the session's own, which is also `~`, as in rules. */
const placedIn =
  (cwd: string) =>
  (update: PermissionUpdate): PermissionUpdate => {
    if (!("directories" in update)) return update
    const place = (path: string) => (path.startsWith("/") ? path : `${cwd}/${path.replace(/^~(?=\/|$)/, ".")}`)
    return { ...update, directories: update.directories.map(place) }
  }

/** The session's updates followed by these. A repeated update is kept once, at its last position. */
const withUpdates = (
  { permission_updates: made }: SessionRecord,
  updates: ReadonlyArray<PermissionUpdate>,
): ReadonlyArray<PermissionUpdate> => [
  ...made.filter((one) => !updates.some((update) => isSameJson(one, update))),
  ...updates,
]

const withAllowed = (options: SessionOptions, rules: ReadonlyArray<string>): SessionOptions =>
  rules.length === 0 ? options : { ...options, allowedTools: [...(options.allowedTools ?? []), ...rules] }

/** Options for the rules alone: these tools stay in the model's list. */
const withDenied = (options: SessionOptions, rules: ReadonlyArray<string>): SessionOptions =>
  rules.length === 0 ? options : { ...options, disallowedTools: [...(options.disallowedTools ?? []), ...rules] }

const withAsked = (options: SessionOptions, rules: ReadonlyArray<string>): SessionOptions => {
  if (rules.length === 0) return options
  const { settings = {} } = options
  const ask = [...(settings.permissions?.ask ?? []), ...rules]
  return { ...options, settings: { ...settings, permissions: { ...settings.permissions, ask } } }
}

/** What a session's policy is made of. */
interface PolicySources {
  readonly options: SessionOptions
  readonly updates: ReadonlyArray<PermissionUpdate>
  readonly granted: ReadonlyArray<string>
  readonly denied: ReadonlyArray<string>
  readonly approvals: Ruleset | undefined
  readonly judged: SessionRecord["mcp_modes"]
}

/** Whether two policies are made of the same values; these are replaced when they change, never modified. */
const isMadeOf = (last: PolicySources, now: PolicySources): boolean =>
  last.options === now.options &&
  last.updates === now.updates &&
  last.granted === now.granted &&
  last.denied === now.denied &&
  last.approvals === now.approvals &&
  last.judged === now.judged

export class SessionPermissions {
  readonly #core: SessionCore
  /** The policy that was made last, and what it was made of. */
  #last: (PolicySources & { readonly policy: Policy }) | null = null

  readonly saved: SavedPermissions

  constructor(core: SessionCore) {
    this.#core = core
    this.saved = new SavedPermissions(core)
  }

  /** The policy of the running turn, or of other options. */
  policy(options: SessionOptions = this.#core.runningOptions): Policy {
    const { permission_updates: updates, mcp_modes: judged, mode_before_plan: modeBeforePlan } = this.#core.record
    const { allow, ask } = this.#core.mcp.rules()
    const approvals = this.saved.ruleset
    const sources = { options, updates, granted: this.#granted(options), denied: this.#denied(), approvals, judged }
    // The rules of MCP servers are new objects each time.
    const isKept = allow.length === 0 && ask.length === 0
    if (isKept && this.#last !== null && isMadeOf(this.#last, sources)) return this.#last.policy
    const ruled = withAsked(withDenied(withAllowed(options, [...allow, ...sources.granted]), sources.denied), ask)
    const base = judging(withApprovals(policyOf(ruled, updates), approvals), judged)
    const policy = base.mode === "plan" ? { ...base, modeBeforePlan } : base
    if (isKept) this.#last = { ...sources, policy }
    return policy
  }

  /**
   * Sets the mode of an MCP server's calls while the session's mode is `bypassPermissions`; null: that mode covers them. As the
   * official SDK: it can only make such calls ask.
   */
  setMcpMode(server: string, mode: McpMode | null, by?: Actor): Refusal | undefined {
    const { record } = this.#core
    const { [server]: _, ...others } = record.mcp_modes ?? {}
    const modes = mode === null ? others : { ...others, [server]: mode }
    if (Object.keys(modes).length > MAX_MCP_MODES || server.length > MAX_SERVER_NAME)
      return refuse(
        "invalid_request_error",
        `set_mcp_permission_mode_override.serverName: the modes of at most ${MAX_MCP_MODES} MCP servers can be set, with names of at most ${MAX_SERVER_NAME} characters`,
      )
    const changed = { name: EventNames.sessionChanged, payload: { mcp_modes: modes, ...actorField(by) } }
    this.#core.changeRecord({ ...record, mcp_modes: modes }, [changed])
    return undefined
  }

  /** What skills of the running turn allow. */
  #granted(options: SessionOptions): ReadonlyArray<string> {
    return usesSkills(options) && this.#core.runningTurn.options !== null ? this.#core.memory.project.granted : NONE
  }

  /** What the command and the skills of the running turn deny. */
  #denied(): ReadonlyArray<string> {
    if (this.#core.runningTurn.options === null) return NONE
    const { project, accounting } = this.#core.memory
    const { disallowed_tools: own = NONE } = accounting.tally?.command ?? {}
    if (own.length === 0) return project.denied
    return project.denied.length === 0 ? own : [...own, ...project.denied]
  }

  /** The mode to return to when a plan is accepted. */
  get modeBeforePlan(): PermissionMode {
    return this.#core.record.mode_before_plan ?? "default"
  }

  /** Sets the mode, also for the running turn; returns the refusal, if any. */
  setMode(mode: PermissionMode, by?: Actor): Refusal | undefined {
    const { update, record } = this.#inMode(mode)
    const refused = this.#core.refusal(record, by, { permission_updates: [update] })
    if (refused !== undefined) return refused
    const turn = this.#core.inbox.head()?.turn ?? null
    // A mode that is set already is not announced again.
    const messages = this.#modeOf(record) === this.policy().mode ? [] : this.#modeEvents(turn, [update])
    const changed = { name: EventNames.sessionChanged, payload: { permissionMode: mode, ...actorField(by) } }
    this.#core.changeRecord(record, by === undefined ? messages : [...messages, changed])
    return undefined
  }

  /** As `setMode`, for a running tool call: returns the events, and the change for the transaction that writes them. */
  modeChange(turn: string, mode: PermissionMode) {
    if (this.policy().mode === mode) return { events: [], commit: () => undefined }
    const { update, record } = this.#inMode(mode)
    return { events: this.#modeEvents(turn, [update]), commit: () => this.#core.keepRecord(record) }
  }

  #inMode(mode: PermissionMode): { readonly update: PermissionUpdate; readonly record: SessionRecord } {
    const { record } = this.#core
    const update: PermissionUpdate = { type: "setMode", mode, destination: "session" }
    const others = record.permission_updates.filter((known) => known.type !== "setMode")
    return { update, record: this.withModeBeforePlan({ ...record, permission_updates: [...others, update] }) }
  }

  /** Why an answer to this ask, over REST or not, may not make these updates; undefined when it may. */
  refusal(
    ask: AskOpened,
    updates: ReadonlyArray<PermissionUpdate>,
    by: Actor | undefined,
    isRest: boolean,
  ): Refusal | undefined {
    const suggested = updates.filter((update) => ask.suggestions?.some((one) => isSameJson(one, update)) === true)
    if (by?.ticket !== undefined && !by.roles.includes("control") && suggested.length < updates.length) {
      // A plan is accepted together with the mode in which it is executed.
      if (ask.kind !== "plan" || updates.some(({ type }) => type !== "setMode")) return NOT_SUGGESTED
    }
    const { record } = this.#core
    const placed = updates.map(placedIn(record.cwd))
    const after = { ...record, permission_updates: [...record.permission_updates, ...placed] }
    const refused =
      updates.length === 0 ? undefined : this.#core.refusal(after, by, { permission_updates: placed }, suggested)
    if (refused !== undefined) return refused
    // As the official SDK: a client of the control protocol accepts the plan, and the mode before it applies.
    if (isRest && ask.kind === "plan" && updates.some((update) => this.#opensBypass(update))) {
      const message =
        "permissionMode: bypassPermissions is only for sessions that were opened with it or with allowDangerouslySkipPermissions"
      return refuse("invalid_request_error", message, "permissionMode")
    }
    if (placed.some(isTooLong)) {
      const message = `updatedPermissions: a directory has more than ${MAX_PATH_BYTES} bytes`
      return refuse("invalid_request_error", message, "updatedPermissions")
    }
    if (updates.length > 0 && !fits(withUpdates(record, placed))) {
      const message = `updatedPermissions: a session takes at most ${MAX_PERMISSION_UPDATES} permission updates with ${MAX_CHARACTERS} characters`
      return refuse("invalid_request_error", message, "updatedPermissions")
    }
    return undefined
  }

  /** The session's record after an answer's updates, and the events that announce them. */
  updated(
    turn: string | null,
    all: ReadonlyArray<PermissionUpdate>,
  ): { readonly record: SessionRecord; readonly events: ReadonlyArray<NewEvent> } {
    const { record } = this.#core
    // No answer sets bypassPermissions in a session that was not created for it.
    const updates = all.map(placedIn(record.cwd)).filter((update) => !this.#opensBypass(update) && !isTooLong(update))
    const kept = withUpdates(record, updates)
    if (updates.length === 0 || !fits(kept)) return { record, events: [] }
    const next = { ...record, permission_updates: kept }
    // Clients receive a mode only when it changes.
    const events = this.#modeOf(next) === this.policy().mode ? [] : this.#modeEvents(turn, updates)
    return { record: this.withModeBeforePlan(next), events }
  }

  /** As `updated`, for a hook that answered without an ask: the events, and the change for the transaction that writes them. */
  change(turn: string | null, updates: ReadonlyArray<PermissionUpdate>) {
    const { record, events } = this.updated(turn, updates)
    return { events, commit: () => (record === this.#core.record ? undefined : this.#core.keepRecord(record)) }
  }

  /**
   * True for an update to `bypassPermissions` in a session that was created neither in that mode nor with
   * allowDangerouslySkipPermissions.
   */
  #opensBypass(update: PermissionUpdate): boolean {
    const { allowDangerouslySkipPermissions: allowed, permissionMode } = this.#core.record.options
    return (
      "mode" in update &&
      update.mode === "bypassPermissions" &&
      allowed !== true &&
      permissionMode !== "bypassPermissions"
    )
  }

  /** The record; if it enters plan mode, with the current mode stored as `mode_before_plan`. */
  withModeBeforePlan(record: SessionRecord): SessionRecord {
    const before = this.policy().mode
    return this.#modeOf(record) === "plan" && before !== "plan" ? { ...record, mode_before_plan: before } : record
  }

  /** The effective mode if this were the session's record. */
  #modeOf(record: SessionRecord): PermissionMode {
    return policyOf(this.#core.runningOptionsOf(record), record.permission_updates).mode
  }

  #modeEvents(turn: string | null, updates: ReadonlyArray<PermissionUpdate>): ReadonlyArray<NewEvent> {
    const mode = updates.findLast((update) => update.type === "setMode")
    if (mode === undefined) return []
    const stamp = { sessionId: this.#core.id, turn, uuid: this.#core.context.newUuid(), at: this.#core.context.now() }
    return [systemMessage(stamp, "status", { status: null, permissionMode: mode.mode })]
  }
}
