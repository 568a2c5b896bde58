// Receives a text, a content block or any JSON value; returns an estimate of its tokens.
// Invariant: the estimate is for reports and progress, never for costs: those come from the API's counts.
import { wholeLength } from "../../schemas/log/media-mark.ts"

/** About this many characters make a token. */
export const CHARACTERS_PER_TOKEN = 4
/** Tokens of an image of any size, since the API scales it down. A page of a document takes about as many. */
const TOKENS_PER_IMAGE = 1600
/** About how many base64 characters of a document make one page. */
const CHARACTERS_PER_PAGE = 100_000

/** About how many tokens a number of characters takes. */
export const tokensOfLength = (characters: number): number => Math.round(characters / CHARACTERS_PER_TOKEN)

/**
 * About how many tokens a value takes: a quarter of its characters, as JSON unless it is a text. Each image and each page of
 * a document has a fixed count, at any depth.
 */
export const estimateTokens = (value: unknown): number => Math.round(sizeOf(value))

const sizeOf = (value: unknown): number => {
  if (typeof value === "string") return wholeLength(value) / CHARACTERS_PER_TOKEN
  if (value === undefined) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), 0)
  if (typeof value !== "object" || value === null) return String(value).length / CHARACTERS_PER_TOKEN
  const pages = pagesOf(value)
  if (pages !== null) return pages * TOKENS_PER_IMAGE
  // A key is written with two quotes, a colon and a comma.
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (key.length + 4) / CHARACTERS_PER_TOKEN + sizeOf(item),
    0,
  )
}

/** The pages of an image or of a document in base64; null for anything else. */
const pagesOf = (value: object): number | null => {
  if (!("type" in value) || (value.type !== "image" && value.type !== "document")) return null
  if (value.type === "image") return 1
  const source = "source" in value ? value.source : null
  if (typeof source !== "object" || source === null || !("data" in source) || typeof source.data !== "string")
    return null
  const isText = "type" in source && source.type === "text"
  return isText ? null : Math.max(1, Math.ceil(wholeLength(source.data) / CHARACTERS_PER_PAGE))
}

/** The estimated tokens of the contents of these messages. */
export const estimateMessages = (messages: ReadonlyArray<{ readonly content: unknown }>): number =>
  messages.reduce((sum, { content }) => sum + estimateTokens(content), 0)
