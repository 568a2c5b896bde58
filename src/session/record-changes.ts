// Changes of a session's record that clients ask for: its title, metadata and options.
// Invariant: a refused change writes nothing; every other one is an event, with secrets masked.
import { overlaid } from "../schemas/sdk/options/variants.ts"
import { type Actor, actorField } from "../schemas/access.ts"
import { MAX_TITLE } from "../schemas/api/api.ts"
import { EventNames, type NewEvent } from "../schemas/log/events.ts"
import { maskOptions } from "../schemas/sdk/options/masked-options.ts"
import { changedOptions, loggedChange, type OptionChanges, setOptionsOf } from "../schemas/rpc/option-changes.ts"
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import type { SessionCore } from "./core.ts"
import { runtimeRefusal } from "./recording/runtime-option.ts"
import type { Refusal } from "./refusal.ts"
import { sessionWideRefusal } from "./session-wide.ts"
import type { SessionRecord } from "./storage/meta.ts"

export interface SessionPatch {
  readonly title?: string | null
  readonly metadata?: Record<string, string>
  readonly options?: OptionChanges
}

/** Shortens a title of a control request to the longest that is stored, and replaces half characters by U+FFFD. */
export const keptTitle = (title: string): string => title.slice(0, MAX_TITLE).toWellFormed()

export class RecordChanges {
  readonly #core: SessionCore

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** Makes a client's change of the session; returns the refusal, if any. */
  patch(change: SessionPatch, by?: Actor): Refusal | undefined {
    const core = this.#core
    const before = core.record
    const mode = change.options?.permissionMode
    const record: SessionRecord = {
      ...before,
      ...(change.title === undefined ? {} : { title: change.title }),
      ...(change.metadata === undefined ? {} : { metadata: change.metadata }),
      ...(change.options === undefined ? {} : { options: changedOptions(before.options, change.options) }),
      // A mode that is set now wins over modes that answers set before.
      ...(mode === undefined
        ? {}
        : { permission_updates: before.permission_updates.filter((update) => update.type !== "setMode") }),
    }
    const named = setOptionsOf(change.options ?? {})
    const refused = runtimeRefusal(before.options, named) ?? core.refusal(record, by, { options: named })
    if (refused !== undefined) return refused
    const next = core.permissions.withModeBeforePlan(record)
    const shown = change.options === undefined ? change : { ...change, options: maskOptions(change.options) }
    const changed = { name: EventNames.sessionChanged, payload: { ...shown, ...actorField(by) } }
    // The client that names the sources has seen their files.
    core.changeRecord(next, [changed], () => {
      if (change.options?.settingSources !== undefined) core.project.forget()
    })
    return undefined
  }

  /**
   * Makes a control request's change of options, and appends `events` with it; returns the refusal, if any. `undefined`
   * removes an option.
   */
  setOptions(
    change: Readonly<Record<string, unknown>>,
    by?: Actor,
    events: ReadonlyArray<NewEvent> = [],
  ): Refusal | undefined {
    const core = this.#core
    const options = Object.fromEntries(
      Object.entries(overlaid(core.record.options, change)).filter(([, value]) => value !== undefined),
    )
    // Can't fail: the caller decoded the change.
    const record: SessionRecord = { ...core.record, options: options as SessionOptions }
    if (JSON.stringify(record.options) === JSON.stringify(core.record.options)) {
      if (events.length > 0) core.append(events)
      return undefined
    }
    const refused = core.refusal(record, by, { options: change as SessionOptions })
    if (refused !== undefined) return refused
    const shown = maskOptions(loggedChange(core.record.options, change))
    const changed = { name: EventNames.sessionChanged, payload: { options: shown, ...actorField(by) } }
    core.changeRecord(record, [changed, ...events])
    return undefined
  }

  /** Why a prompt may not bring these options; undefined when it may. */
  turnRefusal(options: SessionOptions, by: Actor | undefined): Refusal | undefined {
    const { record } = this.#core
    const other = runtimeRefusal(record.options, options) ?? sessionWideRefusal(record.options, options)
    if (other !== undefined || by === undefined || Object.keys(options).length === 0) return other
    return this.#core.refusal({ ...record, options: { ...record.options, ...options } }, by, { options })
  }
}
