// The formats of a session's events that are views with a state, and the query parameters of each.
// Invariant: a parameter belongs to the formats that list it; with another format it is refused by its name.
import * as Schema from "effect/Schema"

/** The query parameters of each format. */
const LIVE_OPTIONS = {
  parts: {},
} as const satisfies Readonly<Record<string, Schema.Struct.Fields>>

export type LiveFormat = keyof typeof LIVE_OPTIONS

/** The same as fields of a query. */
export const LIVE_FIELDS = { ...LIVE_OPTIONS.parts }

/** What a reader asked for beside the format. */
export type LiveOptions = Schema.Struct.Type<typeof LIVE_FIELDS>

// The keys of the table.
export const LIVE_FORMATS = Object.keys(LIVE_OPTIONS) as ReadonlyArray<LiveFormat>

export const isLiveFormat = (format: string | undefined): format is LiveFormat =>
  format !== undefined && Object.hasOwn(LIVE_OPTIONS, format)

/** The first parameter that is given and is not one of the format; `others` are those of no format with a state. */
export const strayOption = (
  format: string | undefined,
  query: Readonly<Record<string, unknown>>,
  others: ReadonlyArray<string> = [],
): string | undefined => {
  const own = isLiveFormat(format) ? Object.keys(LIVE_OPTIONS[format]) : []
  const known = [...Object.keys(LIVE_FIELDS), ...(isLiveFormat(format) ? others : [])]
  return known.find((name) => query[name] !== undefined && !own.includes(name))
}
