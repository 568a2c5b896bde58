// Receives an event of the log and a pattern; returns its line for a feed of signals; null when its name does not match.
// Invariant: a signal is sent when its name matches, whatever the event is; its payload's JSON is not serialized again.
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import { signalJson, signalName } from "../../schemas/log/event-signal.ts"
import { toStoredText } from "../../schemas/log/media-mark.ts"
import { type CompiledPattern, compilePattern } from "../../schemas/signal-pattern.ts"
import type { StoredEvent } from "../storage/log.ts"

export const signalLine = (pattern: string, { event, json }: StoredEvent): string | null => {
  const { seq, at, turn, name } = event
  if (!matcherOf(pattern).matches(signalName(name))) return null
  return encodeFeedLine({ seq, at, turn, name, json: signalJson(event, toStoredText(json)) })
}

/** The pattern that was used last, which is mostly the next one too. */
let last: CompiledPattern | undefined

const matcherOf = (text: string): CompiledPattern => {
  if (last?.text !== text) last = compilePattern(text) ?? { text, matches: () => false }
  return last
}
