// One socket that listens to a session: what it subscribes to, and the form of its lines.
// Invariant: only SDK messages are sent; a viewer's line has every fact of its event.
import type { Actor } from "../../schemas/access.ts"
import type { EphemeralEvent } from "../../schemas/log/events.ts"
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import { toStoredText } from "../../schemas/log/media-mark.ts"
import type { StoredEvent } from "../storage/log.ts"
import { ephemeralFactLine } from "./fact-lines.ts"

/**
 * `feed`: lines for the Worker's views. `plain`: one JSON a line, as the official clients read it. `numbered`: the same after
 * `SEQ<tab>`, where SEQ is empty for a line that is not in the log.
 */
export type LineForm = "feed" | "plain" | "numbered"

export interface SocketQuery {
  readonly after: number | "head"
  readonly turn: string | null
  /** `turn`: stream events if the turn's own options ask for them. */
  readonly partials: "yes" | "turn"
  /** The client of the control protocol that the socket belongs to; see `clientName`. */
  readonly client: string | null
  /** The actor of the socket; Perch's own sockets have none. */
  readonly actor?: Actor
  readonly form: LineForm
  /** A feed of every event of the log, Perch's own facts included, for views that fold them. */
  readonly facts?: true
  /** A feed of every event whose signal's name matches this pattern, as signals, and of nothing else. */
  readonly signals?: string
  /** A feed whose reader requests each further page of a replay. */
  readonly paged?: true
}

export interface Listener extends Omit<SocketQuery, "after"> {
  /** Set while the replay runs: the seq up to which it has been sent. */
  replayed: number | null
  /** The client has reconnected, or sent its `initialize` before: after the replay, requests that wait for its answer are sent again. */
  readonly isKnown?: boolean
  /** The seq of the log's last event when the socket was opened; absent on sockets of earlier versions. */
  readonly since?: number
}

/**
 * The name of a client within its session. Names of clients with a ticket have a prefix, so that none can pass for the client
 * of a key, whatever name a page gives itself.
 */
export const clientName = (given: string, by: Actor | undefined): string =>
  by?.ticket === undefined ? given : `${TICKET_PREFIX}${given}`

/** No client's own name has a dot. */
const TICKET_PREFIX = "ticket."

/** The name that a client has given itself. */
export const givenName = (name: string): string =>
  name.startsWith(TICKET_PREFIX) ? name.slice(TICKET_PREFIX.length) : name

/** The form that a client of the control protocol asks for. */
export const formOf = (url: URL): LineForm => (url.searchParams.get("framing") === "numbered" ? "numbered" : "plain")

/** What the feed has stored with the socket. */
export const readAttachment = (socket: WebSocket): Listener => {
  // Can't fail: the attachment is what `Listeners.keep` stored; an older version stored no position.
  const kept = socket.deserializeAttachment() as Omit<Listener, "replayed"> & Partial<Pick<Listener, "replayed">>
  return { ...kept, replayed: kept.replayed ?? null }
}

/**
 * The line of a durable event; `whole` returns its payload's JSON with media. Null for Perch's own facts: no view shows them,
 * and they are half of the log.
 */
export const lineOf = ({ form }: Listener, { event, json }: StoredEvent, whole: () => string): string | null => {
  if (!event.name.startsWith("sdk:")) return null
  const { seq, at, turn, name } = event
  if (form === "feed") return encodeFeedLine({ seq, at, turn, name, json: toStoredText(json) })
  return form === "plain" ? whole() : `${seq}\t${whole()}`
}

/** Listeners with the same key get the same text of an ephemeral event. */
export const ephemeralKey = ({ form, facts }: Listener): string => (facts === true ? "facts" : form)

/** `now` is in milliseconds since 1970. */
export const ephemeralLine = ({ form, facts }: Listener, event: EphemeralEvent, now: number): string => {
  if (facts === true) return ephemeralFactLine(event, now)
  const json = JSON.stringify(event.payload)
  if (form === "feed") return encodeFeedLine({ seq: null, at: 0, turn: event.turn, name: event.name, json })
  return form === "plain" ? json : `\t${json}`
}

/**
 * The line that asks a client to confirm that it has read everything before it. Official clients answer a control request that
 * they do not know with an error that has its id.
 */
export const receiptLine = (form: LineForm, id: string): string => {
  if (form === "numbered") return `${RECEIPT_MARK}${id}`
  return JSON.stringify({ type: "control_request", request_id: id, request: { subtype: "perch_read_receipt" } })
}

/** The start of that line, and of its answer, with numbered lines. */
export const RECEIPT_MARK = "?"

/** The line of a control frame. */
export const frameLine = ({ form }: Listener, frame: Readonly<Record<string, unknown>>): string => {
  const json = JSON.stringify(frame)
  if (form === "feed") return encodeFeedLine({ seq: null, at: 0, turn: null, name: "control:frame", json })
  return form === "plain" ? json : `\t${json}`
}
