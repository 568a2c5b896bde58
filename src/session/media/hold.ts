// Receives an event's payload; returns it with a media mark for each long base64 text that a tool, a prompt or a hook event
// brought, and passes the bytes to `put`.
// Invariant: base64 is replaced only when its bytes encode to exactly the same text. What a model wrote stays as it is: its
// calls are run from the log.
import { markOf, textOfMark } from "../../schemas/log/media-mark.ts"
import { EventNames } from "../../schemas/log/events.ts"

/** Base64 of at least this many characters is stored as a blob: more than any body that the Queue or D1 accepts whole. */
const LONG_MEDIA = 64 * 1024

type Fields = Readonly<Record<string, unknown>>

/** Stores bytes and returns their hash. It owns the bytes from then on. */
export type PutBytes = (bytes: Uint8Array) => string

/** The events that may contain media: each applies `hold` to the fields of the payload that may. */
const HOLDERS: Readonly<Record<string, (payload: Fields, hold: (value: unknown) => unknown) => Fields>> = {
  [EventNames.turnQueued]: (payload, hold) => ({ ...payload, prompt: hold(payload["prompt"]) }),
  [EventNames.turnJoined]: (payload, hold) => ({ ...payload, prompt: hold(payload["prompt"]) }),
  [EventNames.commandExpanded]: (payload, hold) => ({ ...payload, prompt: hold(payload["prompt"]) }),
  [EventNames.commandInvoked]: (payload, hold) => ({ ...payload, prompt: hold(payload["prompt"]) }),
  [EventNames.filesMentioned]: (payload, hold) => ({ ...payload, files: hold(payload["files"]) }),
  [EventNames.toolRan]: (payload, hold) => ({
    ...payload,
    content: hold(payload["content"]),
    output: hold(payload["output"]),
  }),
  [EventNames.toolCalled]: (payload, hold) => ({ ...payload, output: hold(payload["output"]) }),
  [EventNames.hookFired]: (payload, hold) => ({ ...payload, input: hold(payload["input"]) }),
  // `hold` returns an object for an object.
  "sdk:user": (payload, hold) => hold(payload) as Fields,
}

/** The payload with marks for its media; the payload itself when it has none. */
export const holdMedia = (name: string, payload: unknown, put: PutBytes): unknown => {
  const holder = HOLDERS[name]
  if (holder === undefined || typeof payload !== "object" || payload === null) return payload
  /** A result is in the message and in its structured form, mostly as the same text: its bytes are stored once. */
  const known = new Map<string, string>()
  const markFor = (text: string): string => {
    const mark = known.get(text) ?? marked(text, put)
    known.set(text, mark)
    return mark
  }
  let changed = false
  const hold = (value: unknown, depth = 0): unknown => {
    if (typeof value !== "object" || value === null || depth > DEEPEST) return value
    if (Array.isArray(value)) {
      const items = value.map((item) => hold(item, depth + 1))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    let copy: Record<string, unknown> | undefined
    const fields = value as Fields
    for (const key of Object.keys(fields)) {
      const item = fields[key]
      const isLong = typeof item === "string" && item.length >= LONG_MEDIA
      const held = isLong ? (isMedia(key, value) ? markFor(item) : item) : hold(item, depth + 1)
      if (held === item) continue
      copy ??= { ...value }
      copy[key] = held
      changed = true
    }
    return copy ?? value
  }
  // Can't fail: the log writes objects.
  const withMarks = holder(payload as Fields, hold)
  return changed ? withMarks : payload
}

/** Levels that are searched: the log cuts off deeper ones. */
const DEEPEST = 200

/** Where the Messages API, the SDK's outputs and MCP results have base64. */
const isMedia = (key: string, { type }: { readonly type?: unknown }): boolean =>
  key === "base64" ||
  key === "image_data" ||
  key === "blob" ||
  (key === "data" && (type === "base64" || type === "image" || type === "audio"))

/** The mark of a text, or the text itself when it is no base64. */
const marked = (text: string, put: PutBytes): string => {
  if (text.length % 4 !== 0 || markOf(text) !== undefined) return text
  const bytes = Buffer.from(text, "base64")
  return isExactly(text, bytes) ? textOfMark({ hash: put(bytes), length: text.length }) : text
}

/** True when the text is exactly what an encoder writes for the bytes. */
const isExactly = (text: string, bytes: Buffer): boolean => {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0
  if (bytes.length !== (text.length / 4) * 3 - padding || text.includes("-") || text.includes("_")) return false
  return text.endsWith(bytes.subarray(bytes.length - (3 - padding)).toString("base64"))
}
