// The approvals that a session has saved, its own and those of its tenant: receives what answers save and what clients
// revoke; returns the list, and the ruleset that the policy uses.
// Invariant: a session without any reads and writes nothing; each saving and each revocation is an event.
import { approvalsOf, type Ruleset } from "../../permissions/ruleset/ruleset.ts"
import { type Actor, actorField } from "../../schemas/access.ts"
import type { DefinitionsByName } from "../../schemas/definitions.ts"
import type { PermissionFor } from "../../schemas/log/ask-events.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { MAX_SAVED_PERMISSIONS, type SavedApproval, savedId, type SavedScope } from "../../schemas/permissions-saved.ts"
import type { SessionCore } from "../core.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { Reply } from "./reply-answers.ts"
import type { SessionRecord } from "../storage/meta.ts"

const NONE: ReadonlyArray<SavedApproval> = []

const FULL = refuse(
  "invalid_request_error",
  `reply: a session keeps at most ${MAX_SAVED_PERMISSIONS} saved permissions. Revoke some, or reply \`once\``,
  "reply",
)
const OF_TENANT = refuse(
  "invalid_request_error",
  "this permission is saved for the whole tenant. Revoke it with DELETE /v1/permissions/saved/{id}",
)
const UNKNOWN = refuse("not_found_error", "there is no such saved permission in this session")
const NOT_BY_TICKET = refuse(
  "permission_error",
  "scope: a ticket can save permissions only for its session. Leave out `scope`, or answer with an API key",
  "scope",
)

type Core = Pick<SessionCore, "changeRecord" | "context" | "definitions" | "record">

export class SavedPermissions {
  readonly #core: Core
  #last: {
    readonly own: ReadonlyArray<SavedApproval>
    readonly stored: DefinitionsByName
    readonly version: number
    readonly all: ReadonlyArray<SavedApproval>
    readonly ruleset: Ruleset | undefined
  } | null = null

  constructor(core: Core) {
    this.#core = core
  }

  /** The approvals in force, the session's own first. */
  list(): ReadonlyArray<SavedApproval> {
    return this.#now().all
  }

  /** The same approvals as a ruleset of the policy; undefined when there are none. */
  get ruleset(): Ruleset | undefined {
    return this.#now().ruleset
  }

  #now() {
    const { record, definitions } = this.#core
    const own = record.saved_permissions ?? NONE
    const stored = definitions.stored("permission")
    const { version } = definitions
    if (this.#last?.own !== own || this.#last.stored !== stored || this.#last.version !== version) {
      const current = own.filter((saved) => saved.scope === "session" || saved.version === version)
      const known = new Set(current.map(({ id }) => id))
      // Can't fail: the route that stores them writes approvals.
      const tenants = Object.values(stored).filter(({ id }) => !known.has(String(id))) as unknown as typeof own
      const all = [...current, ...tenants]
      this.#last = { own, stored, version, all, ruleset: all.length === 0 ? undefined : approvalsOf(all) }
    }
    return this.#last
  }

  /** The approvals to save; those that are saved already are left out. */
  made(saves: ReadonlyArray<PermissionFor>, scope: SavedScope): ReadonlyArray<SavedApproval> {
    const known = new Set(this.list().flatMap((saved) => (saved.scope === scope ? [saved.id] : [])))
    return saves
      .map(({ permission, pattern }) => ({
        id: savedId({ permission, pattern }),
        permission,
        pattern,
        scope,
        created_at: this.#core.context.now(),
        ...(scope === "tenant" ? { version: this.#core.definitions.version } : {}),
      }))
      .filter(({ id }) => !known.has(id))
  }

  /** Why an answer may not save these: too many, or for the whole tenant through a ticket. */
  refusal({ saves, scope }: Pick<Reply, "saves" | "scope">, by: Actor | undefined): Refusal | undefined {
    if (saves.length === 0) return undefined
    if (scope === "tenant" && by?.ticket !== undefined) return NOT_BY_TICKET
    return (this.#core.record.saved_permissions?.length ?? 0) + saves.length > MAX_SAVED_PERMISSIONS ? FULL : undefined
  }

  /**
   * The record with these added. Approvals of the tenant are dropped from it once they were loaded with the tenant's
   * definitions.
   */
  added(record: SessionRecord, saved: ReadonlyArray<SavedApproval>): SessionRecord {
    if (saved.length === 0) return record
    const { version } = this.#core.definitions
    const current = (record.saved_permissions ?? NONE).filter(
      (one) => one.scope === "session" || one.version === version,
    )
    return { ...record, saved_permissions: [...current, ...saved] }
  }

  /** Revokes an approval of the session, or returns the refusal. From the next call on the session asks again. */
  revoke(id: string, by: Actor | undefined): Refusal | undefined {
    const { record } = this.#core
    const found = this.list().find((saved) => saved.id === id)
    if (found === undefined) return UNKNOWN
    if (found.scope === "tenant") return OF_TENANT
    const saved = (record.saved_permissions ?? NONE).filter((one) => one !== found)
    const { saved_permissions: _, ...rest } = record
    const changed = { name: EventNames.sessionChanged, payload: { revoked_permissions: [id], ...actorField(by) } }
    this.#core.changeRecord(saved.length === 0 ? rest : { ...rest, saved_permissions: saved }, [changed])
    return undefined
  }
}
