// Receives the settings of an `apply_flag_settings` request; returns the session's settings with them.
// Invariant: as in the official SDK, what clients applied is a layer over the settings that the session had before. A request
// replaces a key of that layer, or removes it with null; lists of both layers are joined, so no rule under it is ever lost.
import * as Schema from "effect/Schema"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import { fieldIssues } from "../../schemas/errors/union-issues.ts"
import { SessionSettings } from "../../schemas/sdk/options/options.ts"
import type { SessionRecord } from "../storage/meta.ts"
import { ControlError } from "../control/control-error.ts"

type FlagSettings = NonNullable<SessionRecord["flag_settings"]>

/** The session's layers of settings after the request, and both layers together. Throws a ControlError for a wrong value. */
export const withFlagSettings = (
  record: SessionRecord,
  change: Readonly<Record<string, unknown>>,
): { readonly layers: FlagSettings; readonly settings: SessionSettings } => {
  const { given, applied } = layersOf(record)
  // As the official SDK: null selects the model's default effort, not that of another layer.
  const { effortLevel, ...kept } = given
  const layers = {
    given: change["effortLevel"] === null || effortLevel === undefined ? kept : given,
    applied: Object.fromEntries(Object.entries({ ...applied, ...change }).filter(([, value]) => value !== null)),
  }
  return { layers, settings: decoded(joined(layers)) }
}

/** The deny rules that only clients applied. */
export const lateDenials = (record: SessionRecord): ReadonlyArray<string> => {
  if (record.flag_settings === undefined) return []
  const { given } = layersOf(record)
  const early = given.permissions?.deny ?? []
  return (record.options.settings?.permissions?.deny ?? []).filter((rule) => !early.includes(rule))
}

/** The layers as they were stored, unless the session's settings were set by other means since. */
const layersOf = ({ options: { settings = {} }, flag_settings: layers }: SessionRecord): FlagSettings =>
  layers !== undefined && JSON.stringify(decoded(joined(layers))) === JSON.stringify(settings)
    ? layers
    : { given: settings, applied: {} }

const joined = ({ given, applied }: FlagSettings): Readonly<Record<string, unknown>> => {
  const { permissions: under = {} } = given
  const over = applied["permissions"]
  if (typeof over !== "object" || over === null) return { ...given, ...applied }
  const lists = Object.entries(over).flatMap(([name, value]) => {
    // As the official SDK: `defaultMode` is the mode in which a session starts, so it is not changed later.
    if (name === "defaultMode") return []
    const below: unknown = Object.entries(under).find(([key]) => key === name)?.[1]
    return [[name, Array.isArray(value) && Array.isArray(below) ? [...new Set([...below, ...value])] : value]]
  })
  return { ...given, ...applied, permissions: { ...under, ...Object.fromEntries(lists) } }
}

const decodeSettings = Schema.decodeUnknownResult(SessionSettings, { onExcessProperty: "error" })

const decoded = (settings: Readonly<Record<string, unknown>>): SessionSettings => {
  const result = decodeSettings(settings)
  if (result._tag === "Success") return result.success
  const [issue] = fieldIssues(result.failure.issue, settings)
  const field = fieldPath(["apply_flag_settings.settings", ...(issue?.path ?? [])])
  const known = issue?.known === undefined ? "" : `. Supported are ${issue.known.join(", ")}`
  throw new ControlError(`${field}: ${issue?.message.slice(0, 300) ?? "not valid"}${known}`)
}
