// Receives the info and the parts of a message; returns the facts that its head and its menu show.
import { lazily } from "../kit/format.ts"
import { serverNow } from "../store/server-time.ts"
import type { MessageInfo, Part, Tokens } from "../store/frames.ts"

/** The share of the input that was read from the cache, 0 to 1; null without input. */
export const cacheHit = ({ input, cache }: Tokens): number | null => {
  const all = input + cache.read + cache.write
  return all === 0 ? null : cache.read / all
}

/** The duration in milliseconds; null while the message is not complete, and if it is unknown. */
export const messageDuration = ({ sdk, time }: MessageInfo): number | null => {
  if (sdk?.duration !== undefined) return sdk.duration.total
  return time.completed === undefined || time.completed <= time.created ? null : time.completed - time.created
}

export type MessageEnd =
  | { readonly kind: "interrupted"; readonly text: string }
  | { readonly kind: "failed"; readonly text: string; readonly hint: string }

export const INTERRUPTED = "The turn was interrupted."

/** Whether the loop has added this text for the model to mark a turn that the user stopped. */
export const isInterruptMark = (part: Part | undefined): boolean =>
  part?.synthetic === true && /^\[Request interrupted by user(?: for tool use)?\]$/.test(part.text ?? "")

/** Whether an interrupt cut this answer off. */
export const isCutOff = (info: MessageInfo | undefined): boolean => info?.error?.name === "MessageAbortedError"

const HINTS: Readonly<Record<string, string>> = {
  ProviderAuthError: "Check the API key of the model in the server's settings.",
  MessageOutputLengthError: "Ask for a shorter answer, or in parts.",
}

const TEXTS: Readonly<Record<string, string>> = {
  ProviderAuthError: "The model's API refused the server's key.",
  MessageOutputLengthError: "The answer reached the limit of tokens and was cut off.",
}

/** How a message ended if it was interrupted or failed; null otherwise. */
export const messageEnd = (info: MessageInfo): MessageEnd | null => {
  const { error } = info
  if (error === undefined) return null
  const message = error.data?.message
  if (isCutOff(info)) return { kind: "interrupted", text: message ?? INTERRUPTED }
  const text =
    message === undefined || message === "" ? (TEXTS[error.name] ?? `The answer failed (${error.name}).`) : message
  // Only some kinds of error have the field.
  const isRetryable = (error.data as { readonly isRetryable?: boolean } | undefined)?.isRetryable === true
  return { kind: "failed", text, hint: HINTS[error.name] ?? (isRetryable ? "Send the prompt again." : "") }
}

const timeOfDay = lazily(() => new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }))
const dayAndTime = lazily(
  () =>
    new Intl.DateTimeFormat("en", {
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    }),
)

/** The time of today (14:05), or the date and time of another day (Nov 25, 14:05). */
export const clock = (at: number, now: number = serverNow()): string =>
  (new Date(at).toDateString() === new Date(now).toDateString() ? timeOfDay() : dayAndTime()).format(at)

/** Whether a user message comes from the loop itself: a compaction, a reminder, the mark of an interrupt. */
export const isNote = (parts: ReadonlyArray<Part | undefined>): boolean =>
  parts.length > 0 && parts.every((part) => part?.type === "compaction" || part?.synthetic === true)
