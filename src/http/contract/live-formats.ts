// The formats of a session's events that are views with a state, and the query parameters of each.
// Invariant: a parameter belongs to the formats that list it; with another format it is refused by its name.
import * as Schema from "effect/Schema"
import * as Reply from "../../schemas/interop/reply-settings.ts"

const opt = Schema.optionalKey
const CurrentMessageId = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))

/** The fields of the session option `reply`, and those of its chunking, which win over the session's. */
const REPLY_OPTIONS = {
  reasoningLevel: opt(Reply.ReasoningLevel),
  blockReplyBreak: opt(Reply.BlockReplyBreak),
  minChars: opt(Reply.MinChars),
  maxChars: opt(Reply.MaxChars),
  breakPreference: opt(Reply.BreakPreference),
  flushOnParagraph: opt(Schema.Boolean),
  shouldEmitToolResult: opt(Schema.Boolean),
  shouldEmitToolOutput: opt(Schema.Boolean),
  enforceFinalTag: opt(Schema.Boolean),
  currentMessageId: opt(CurrentMessageId),
}

/** The query parameters of each format. */
const LIVE_OPTIONS = {
  parts: {},
  "agent-events": { enforceFinalTag: REPLY_OPTIONS.enforceFinalTag },
  reply: REPLY_OPTIONS,
  "ag-ui": {},
} as const satisfies Readonly<Record<string, Schema.Struct.Fields>>

export type LiveFormat = keyof typeof LIVE_OPTIONS

/** The same as fields of a query. */
export const LIVE_FIELDS = { ...LIVE_OPTIONS.parts, ...LIVE_OPTIONS.reply }

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

/** What is wrong with parameters that are each well-formed. */
export const optionFault = ({ minChars, maxChars }: LiveOptions): string | undefined =>
  minChars !== undefined && maxChars !== undefined && minChars > maxChars
    ? `minChars: must be at most maxChars, ${maxChars}. Got ${minChars}.`
    : undefined
