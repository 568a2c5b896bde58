// Receives the query parameters of a reader; returns the settings that override the session's.
import type { BlockReplyChunking, ReplySettings } from "../../schemas/interop/reply-settings.ts"

/** The fields of `reply`, and those of its chunking, as parameters of the same names. */
export interface ReplyQuery
  extends
    Omit<ReplySettings, "blockReplyChunking" | "route">,
    Partial<Pick<BlockReplyChunking, "minChars" | "maxChars" | "breakPreference" | "flushOnParagraph">> {}

const DEFAULT_MIN = 800
const DEFAULT_MAX = 1200

/** The chunking that a reader's parameters define together; undefined when it sets none of them. */
const chunkingOf = (query: ReplyQuery): BlockReplyChunking | undefined => {
  const { minChars, maxChars, breakPreference, flushOnParagraph } = query
  if (
    minChars === undefined &&
    maxChars === undefined &&
    breakPreference === undefined &&
    flushOnParagraph === undefined
  )
    return undefined
  const max = maxChars ?? Math.max(DEFAULT_MAX, minChars ?? 0)
  return {
    minChars: minChars ?? Math.min(DEFAULT_MIN, max),
    maxChars: max,
    ...(breakPreference === undefined ? {} : { breakPreference }),
    ...(flushOnParagraph === undefined ? {} : { flushOnParagraph }),
  }
}

const NAMES = [
  "reasoningLevel",
  "blockReplyBreak",
  "shouldEmitToolResult",
  "shouldEmitToolOutput",
  "enforceFinalTag",
  "currentMessageId",
] as const

export const settingsOf = (query: ReplyQuery): ReplySettings => {
  const chunking = chunkingOf(query)
  return {
    ...Object.fromEntries(NAMES.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]]))),
    ...(chunking === undefined ? {} : { blockReplyChunking: chunking }),
  }
}
