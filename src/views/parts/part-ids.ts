// Receives an event and the place of a message or part within it; returns an opencode id (`msg_…`, `prt_…`).
// Invariant: an id is a function of the log, and ids sort by the start of the things that they identify. The ids of an answer and
// its parts are known when its request is made, before any of it is in the log.
import type { LogEvent } from "../../schemas/log/events.ts"

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const base62 = (value: bigint, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)]! + text
  return text
}

/** Two concatenated 32-bit FNV-1a hashes: spreads any uuid, even one that a client made up, over 11 characters. */
const hash = (text: string): bigint => {
  let high = 0x811c9dc5
  let low = 0x01000193
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 0x01000193)
    low = Math.imul(low ^ (unit + index), 0x01000193)
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
}

/**
 * 12 hex digits of the time (ms × 4096 + seq mod 4096, 48 bits as in opencode), 3 characters for the place within the
 * event, 11 of the event's uuid. Where order must be certain, compare `seq`: the 48 bits wrap every 2.2 years.
 */
export const partViewId = (
  prefix: "msg" | "prt" | "evt",
  event: Pick<LogEvent, "seq" | "uuid" | "at">,
  place: number,
): string => {
  const moment = BigInt.asUintN(48, BigInt(event.at) * 4096n + BigInt(event.seq % 4096))
  return `${prefix}_${moment.toString(16).padStart(12, "0")}${base62(BigInt(place), 3)}${base62(hash(event.uuid), 11)}`
}

/** The start of an answer: the last event of its thread before the request; `nth` counts the answers that follow that event. */
export interface AnswerStart {
  readonly event: Pick<LogEvent, "seq" | "uuid" | "at">
  readonly nth: number
}

const startOf = ({ event: { seq, at, uuid }, nth }: AnswerStart) => ({ seq, at, uuid: `${uuid}/${nth}` })

/** The message id of an answer. Places start at 1, because place 0 belongs to the message that the event itself opens. */
export const answerId = (start: AnswerStart): string => partViewId("msg", startOf(start), start.nth + 1)

/** The id of the part for the answer's step, or with `block` for its n-th stored block. */
export const answerPartId = (start: AnswerStart, block?: number): string =>
  partViewId("prt", startOf(start), block === undefined ? 1 : block + 2)

const ID = /^(?:msg|prt)_([0-9a-f]{12})([0-9A-Za-z]{3})[0-9A-Za-z]{11}$/
/** Milliseconds after which the times in ids wrap. */
const ROUND = 2 ** 36

/** Decodes an id: its event's time in ms (not after `latest`), its event's seq modulo 4096, and the place within the event. */
export const readPartViewId = (
  id: string,
  latest: number,
): { readonly at: number; readonly seqRest: number; readonly place: number } | undefined => {
  const [, moment, digits] = ID.exec(id) ?? []
  if (moment === undefined || digits === undefined) return undefined
  const value = Number.parseInt(moment, 16)
  const time = Math.floor(value / 4096)
  const at = time + ROUND * Math.floor((latest - time) / ROUND)
  const place = [...digits].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0)
  return { at, seqRest: value % 4096, place }
}
