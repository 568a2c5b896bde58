// Receives what is known of a message; returns what its head and its menu show.
import { lazily } from "../kit/format.ts"
import type { MessageInfo, Part, Tokens } from "../store/frames.ts"

/** Part of the input that the cache had, 0 to 1; null without input. */
export const cacheHit = ({ input, cache }: Tokens): number | null => {
  const all = input + cache.read + cache.write
  return all === 0 ? null : cache.read / all
}

/** Milliseconds; null while it is being made, and where it is not known. */
export const messageDuration = ({ sdk, time }: MessageInfo): number | null => {
  if (sdk?.duration !== undefined) return sdk.duration.total
  return time.completed === undefined || time.completed <= time.created ? null : time.completed - time.created
}

export type MessageEnd =
  | { readonly kind: "interrupted"; readonly text: string }
  | { readonly kind: "failed"; readonly text: string; readonly hint: string }

const HINTS: Readonly<Record<string, string>> = {
  ProviderAuthError: "Check the API key of the model in the server's settings.",
  MessageOutputLengthError: "Ask for a shorter answer, or in parts.",
}

const TEXTS: Readonly<Record<string, string>> = {
  ProviderAuthError: "The model's API refused the server's key.",
  MessageOutputLengthError: "The answer reached the limit of tokens and was cut off.",
}

/** How a message ended when it did not end well. */
export const messageEnd = ({ error }: MessageInfo): MessageEnd | null => {
  if (error === undefined) return null
  const message = error.data?.message
  if (error.name === "MessageAbortedError") return { kind: "interrupted", text: message ?? "The turn was interrupted." }
  const text =
    message === undefined || message === "" ? (TEXTS[error.name] ?? `The answer failed (${error.name}).`) : message
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

/** 14:05 of today, else with its date: Nov 25, 14:05. */
export const clock = (at: number, now: number = Date.now()): string =>
  (new Date(at).toDateString() === new Date(now).toDateString() ? timeOfDay() : dayAndTime()).format(at)

/** Whether a user message is the loop's own: a compaction, a reminder, a mark of an interrupt. */
export const isNote = (parts: ReadonlyArray<Part | undefined>): boolean =>
  parts.length > 0 && parts.every((part) => part?.type === "compaction" || part?.synthetic === true)
