// The formats of a session's events that are stateful views, and the query parameters of each.
// Invariant: a parameter is accepted only with the formats that list it; with another format it is refused by name.
import * as Schema from "effect/Schema"
import * as Reply from "../../schemas/interop/reply-settings.ts"

const opt = Schema.optionalKey
const CurrentMessageId = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))

/** The fields of the session option `reply` and of its chunking; as query parameters they override the session's own. */
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

/** All parameters of the formats, as fields of one query. */
export const LIVE_FIELDS = { ...LIVE_OPTIONS.parts, ...LIVE_OPTIONS.reply }

/** The query parameters of a reader other than the format. */
export type LiveOptions = Schema.Struct.Type<typeof LIVE_FIELDS>

// The keys of the table.
export const LIVE_FORMATS = Object.keys(LIVE_OPTIONS) as ReadonlyArray<LiveFormat>

export const isLiveFormat = (format: string | undefined): format is LiveFormat =>
  format !== undefined && Object.hasOwn(LIVE_OPTIONS, format)

/** The first parameter in the query that the format does not have; `others` are the parameters that no stateful view has. */
export const strayOption = (
  format: string | undefined,
  query: Readonly<Record<string, unknown>>,
  others: ReadonlyArray<string> = [],
): string | undefined => {
  const own = isLiveFormat(format) ? Object.keys(LIVE_OPTIONS[format]) : []
  const known = [...Object.keys(LIVE_FIELDS), ...(isLiveFormat(format) ? others : [])]
  return known.find((name) => query[name] !== undefined && !own.includes(name))
}

/** What is wrong with a combination of parameters that are each valid. */
export const optionFault = ({ minChars, maxChars }: LiveOptions): string | undefined =>
  minChars !== undefined && maxChars !== undefined && minChars > maxChars
    ? `must be at most maxChars, ${maxChars}. Got ${minChars}.`
    : undefined
