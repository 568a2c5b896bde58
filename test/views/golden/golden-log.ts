// The recorded session as views read it: its events, their lines in feeds, and what a reader that starts after any of them
// receives first.
import fs from "node:fs"
import path from "node:path"
import type { LiveFormat, LiveOptions } from "../../../src/http/contract/live-formats.ts"
import { viewOf } from "../../../src/http/stream/views.ts"
import { EventNames, isTurnResult, type LogEvent } from "../../../src/schemas/log/events.ts"
import { type FeedLine, decodeFeedLine, encodeFeedLine } from "../../../src/schemas/log/feed-line.ts"
import { factLine } from "../../../src/session/feed/fact-lines.ts"
import { lineOf } from "../../../src/session/feed/listener.ts"
import { signalLine } from "../../../src/session/feed/signal-line.ts"
import type { StoredEvent } from "../../../src/session/storage/log.ts"
import { clientView } from "../../../src/views/client.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import { EMPTY_BASE, foldBase } from "../../../src/views/live/session-base.ts"
import { type Frame, sdkView } from "../../../src/views/sdk.ts"
import { signalView } from "../../../src/views/signal.ts"

export const FOLDER = import.meta.dirname
/** An event as `GET …/events` has it. */
type Listed = Omit<LogEvent, "parent_tool_use_id"> & { readonly parent_tool_use_id?: string | null }

/** The events, whose seqs are 1, 2, 3 … */
export const events: ReadonlyArray<LogEvent> = fs
  .readFileSync(path.join(FOLDER, "session.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  // The recording was written by `GET …/events`.
  .map((line) => JSON.parse(line) as Listed)
  .map((event) => ({ ...event, parent_tool_use_id: event.parent_tool_use_id ?? null }) as LogEvent)

const SESSION = String(events.find(({ name }) => name === "sdk:system/init")?.payload["session_id" as never])

const stored: ReadonlyArray<StoredEvent> = events.map((event) => ({ event, json: JSON.stringify(event.payload) }))

const VIEWER = { turn: null, partials: "turn", client: null, form: "feed", replayed: null } as const

const lineView = (lines: ReadonlyArray<string | null>, view: (line: FeedLine) => ReadonlyArray<Frame>) =>
  lines.map((line) => (line === null ? [] : view(decodeFeedLine(line))))

/** The frames of the formats without a state, by event. */
export const STATELESS: Readonly<Record<string, () => ReadonlyArray<ReadonlyArray<Frame>>>> = {
  sdk: () =>
    lineView(
      stored.map((one) => lineOf(VIEWER, one, () => one.json)),
      sdkView,
    ),
  client: () =>
    lineView(
      stored.map((one) => lineOf(VIEWER, one, () => one.json)),
      clientView,
    ),
  signal: () =>
    lineView(
      stored.map((one) => signalLine("**", one)),
      signalView,
    ),
}

/** Where the feed of a reader starts that has everything up to `after`: at the earliest turn that is open there. */
const startOf = (after: number): number => {
  const open = new Map<string | null, number>()
  for (const event of events.slice(0, after)) {
    if (event.name === EventNames.turnQueued) open.set(event.turn, event.seq)
    if (isTurnResult(event) && event.parent_tool_use_id === null) open.delete(event.turn)
  }
  return Math.min(after, ...[...open.values()].map((seq) => seq - 1))
}

/** What a reader that starts after `after` receives for each event up to `through`: one entry per event. */
export const framesBehind = async (
  format: LiveFormat,
  after = 0,
  through = events.length,
  options: LiveOptions = {},
): Promise<ReadonlyArray<ReadonlyArray<Frame>>> => {
  const view = await viewOf(format, SESSION, options)
  const start = startOf(after)
  const base = events.slice(0, start).reduce((known, event) => foldBase(known, viewEventOf(event)), EMPTY_BASE)
  const json = JSON.stringify({ after, base: { ...base, seq: start } })
  view.base(decodeFeedLine(encodeFeedLine({ seq: null, at: 0, turn: null, name: "feed:base", json })))
  const lines = stored.slice(start, through).map((one) => decodeFeedLine(factLine(one)))
  return lines.map((line) => view.view(line)).slice(after - start)
}
