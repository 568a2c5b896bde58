// Receives a text, a content block or any JSON value; returns about how many tokens it takes.
// Invariant: it is a guess for reports and progress, never for costs: those come from what the API counted.
import { wholeLength } from "../../schemas/log/media-mark.ts"

/** About this many characters make a token. */
const CHARACTERS_PER_TOKEN = 4
/** What an image takes, whatever its bytes: the API scales it down. A page of a document takes about as much. */
const TOKENS_PER_IMAGE = 1600
/** Base64 characters of a document that make one page, about. */
const CHARACTERS_PER_PAGE = 100_000

/** Tokens that so many characters take. */
export const tokensOfLength = (characters: number): number => Math.round(characters / CHARACTERS_PER_TOKEN)

/**
 * About how many tokens a value takes: a quarter of its characters, as JSON unless it is a text. Images count by piece
 * and documents by page, wherever they are inside.
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
