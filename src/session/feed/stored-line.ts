// Receives a durable event and a listener; returns the line in which the listener gets it.
import type { MovedHead } from "../../views/live/moved-head.ts"
import type { Media } from "../media/media.ts"
import type { StoredEvent } from "../storage/log.ts"
import { factLine } from "./fact-lines.ts"
import { type Listener, lineOf } from "./listener.ts"
import { signalLine } from "./signal-line.ts"
import { isViewer, viewerLine } from "./viewer-lines.ts"

/** The line, or null when the event is not for that listener. */
export const storedLine = (
  listener: Listener,
  stored: StoredEvent,
  whole: () => string,
  moved?: () => MovedHead,
): string | null => {
  if (listener.signals !== undefined) return signalLine(listener.signals, stored)
  if (listener.facts === true) return factLine(stored, moved)
  const own = listener.turn === null || stored.event.turn === listener.turn ? lineOf(listener, stored, whole) : null
  return own === null && isViewer(listener) ? viewerLine(stored, listener) : own
}

/** The payload's JSON with its media: made on demand, and once for all listeners. */
export const wholeOf = ({ json }: StoredEvent, media: Pick<Media, "whole">): (() => string) => {
  let whole: string | undefined
  return () => (whole ??= media.whole(json))
}
