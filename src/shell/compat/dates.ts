// Dates that GNU date accepts and the shell's own date does not: `yesterday 10:00`, `next monday`, `20240101`, `Jan 5 3pm`.
// Receives the text and the current time; returns seconds since 1970, with UTC as the time zone; null if it is not a date.
const UNITS: Readonly<Record<string, number>> = {
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  fortnight: 1_209_600,
}
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const ZONES: Readonly<Record<string, number>> = { z: 0, utc: 0, gmt: 0, est: -5, edt: -4, cst: -6, cdt: -5, mst: -7 }
const WESTERN: Readonly<Record<string, number>> = { mdt: -6, pst: -8, pdt: -7, cet: 1, cest: 2, jst: 9 }
const MAX_LENGTH = 200

/** The date that is being parsed; each form in the text changes it. */
class Reading {
  readonly #now: Date
  #date: Date
  #hasDate = false
  #hasTime = false
  #zone = 0
  #weekday: readonly [day: number, weeks: number] | null = null
  readonly #steps: Array<readonly [count: number, unit: string]> = []

  constructor(seconds: number) {
    this.#now = new Date(seconds * 1000)
    this.#date = new Date(this.#now)
  }

  day(year: number, month: number, day: number): boolean {
    const full = year < 69 ? 2000 + year : year < 100 ? 1900 + year : year
    const made = new Date(Date.UTC(full, month - 1, day))
    if (made.getUTCMonth() !== month - 1 || made.getUTCDate() !== day) return false
    this.#date.setUTCFullYear(full, month - 1, day)
    this.#hasDate = true
    return true
  }

  get year(): number {
    return this.#now.getUTCFullYear()
  }

  time(hours: number, minutes: number, seconds: number, half?: string): boolean {
    if (half !== undefined && (hours < 1 || hours > 12)) return false
    const hour = half === undefined ? hours : (hours % 12) + (/^p/i.test(half) ? 12 : 0)
    if (hour > 23 || minutes > 59 || seconds >= 61) return false
    this.#date.setUTCHours(hour, minutes, Math.floor(seconds), Math.round((seconds % 1) * 1000))
    this.#hasTime = true
    return true
  }

  zone(hours: number): boolean {
    this.#zone = hours
    return true
  }

  step(count: number, unit: string): boolean {
    this.#steps.push([count, unit])
    return true
  }

  weekday(day: number, weeks: number): boolean {
    this.#weekday = [day, weeks]
    return true
  }

  /** Moves the date by a number of days. */
  startOfDay(days: number): boolean {
    this.#steps.push([days, "day"])
    return true
  }

  seconds(): number {
    const at = this.#date
    if (!this.#hasTime && (this.#hasDate || this.#weekday !== null)) at.setUTCHours(0, 0, 0, 0)
    if (this.#weekday !== null) {
      const [day, weeks] = this.#weekday
      const ahead = (day - at.getUTCDay() + 7) % 7
      const added = weeks > 0 && ahead > 0 ? weeks - 1 : weeks
      at.setUTCDate(at.getUTCDate() + ahead + added * 7)
    }
    for (const [count, unit] of this.#steps) {
      const seconds = UNITS[unit]
      if (seconds !== undefined) at.setTime(at.getTime() + count * seconds * 1000)
      else at.setUTCMonth(at.getUTCMonth() + count * (unit === "year" ? 12 : 1))
    }
    return at.getTime() / 1000 - this.#zone * 3600
  }
}

type Form = readonly [pattern: RegExp, read: (reading: Reading, parts: ReadonlyArray<string | undefined>) => boolean]

const monthOf = (name: string | undefined): number => MONTHS.indexOf((name ?? "").slice(0, 3).toLowerCase()) + 1
const MONTH = "(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?"
const WEEKDAY = "(sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?"
const ORDINAL: Readonly<Record<string, number>> = { next: 1, last: -1, this: 0 }

const form = (source: string, read: Form[1]): Form => [new RegExp(`^(?:${source})(?![a-z0-9])`, "i"), read]

const FORMS: ReadonlyArray<Form> = [
  form("(\\d{4})[-/](\\d{1,2})[-/](\\d{1,2})(?=T?)", (r, [, y, m, d]) => r.day(Number(y), Number(m), Number(d))),
  [/^(\d{4})-(\d{1,2})-(\d{1,2})(?=T\d)/i, (r, [, y, m, d]) => r.day(Number(y), Number(m), Number(d))],
  form("(\\d{4})(\\d{2})(\\d{2})", (r, [, y, m, d]) => r.day(Number(y), Number(m), Number(d))),
  form("(\\d{1,2})/(\\d{1,2})/(\\d{2,4})", (r, [, m, d, y]) => r.day(Number(y), Number(m), Number(d))),
  form("(\\d{1,2})/(\\d{1,2})", (r, [, m, d]) => r.day(r.year, Number(m), Number(d))),
  [
    /^t?(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?\s*([ap]\.?m\.?)?/i,
    (r, [, h, m, s = "0", half]) => r.time(Number(h), Number(m), Number(s), half),
  ],
  form("(\\d{1,2})\\s*([ap]\\.?m\\.?)", (r, [, h, half]) => r.time(Number(h), 0, 0, half)),
  [
    /^([-+])(\d{2}):?(\d{2})(?![\d:]|\s*[a-z])/i,
    (r, [, sign, h, m]) => r.zone((sign === "-" ? -1 : 1) * (Number(h) + Number(m) / 60)),
  ],
  form(
    "([-+]?\\s*\\d+)\\s*(sec|second|min|minute|hour|day|week|fortnight|month|year)s?(\\s+ago)?",
    (r, [, count = "", unit = "", ago]) =>
      r.step(Number(count.replace(/\s/g, "")) * (ago === undefined ? 1 : -1), unit.toLowerCase()),
  ),
  form(
    "(next|last|this)\\s+(sec|second|min|minute|hour|day|week|fortnight|month|year)",
    (r, [, which = "", unit = ""]) => r.step(ORDINAL[which.toLowerCase()] ?? 0, unit.toLowerCase()),
  ),
  form(`(next|last|this)\\s+${WEEKDAY}`, (r, [, which = "", day]) =>
    r.weekday(dayOf(day), ORDINAL[which.toLowerCase()] ?? 0),
  ),
  form(`${MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(\\d{4}))?(?!:)`, (r, [, month, d, y]) =>
    r.day(y === undefined ? r.year : Number(y), monthOf(month), Number(d)),
  ),
  form(`(\\d{1,2})(?:st|nd|rd|th)?[-\\s]+${MONTH}(?:[-,\\s]+(\\d{4}))?(?!:)`, (r, [, d, month, y]) =>
    r.day(y === undefined ? r.year : Number(y), monthOf(month), Number(d)),
  ),
  form(WEEKDAY, (r, [, day]) => r.weekday(dayOf(day), 0)),
  form("now|today", () => true),
  form("yesterday", (r) => r.startOfDay(-1)),
  form("tomorrow", (r) => r.startOfDay(1)),
  form("midnight", (r) => r.time(0, 0, 0)),
  form("noon", (r) => r.time(12, 0, 0)),
  form("(z|utc|gmt|est|edt|cst|cdt|mst|mdt|pst|pdt|cet|cest|jst)", (r, [, name = ""]) =>
    r.zone(ZONES[name.toLowerCase()] ?? WESTERN[name.toLowerCase()] ?? 0),
  ),
]

const dayOf = (name: string | undefined): number => DAYS.indexOf((name ?? "").slice(0, 3).toLowerCase())

export const secondsOf = (text: string, now: number): number | null => {
  const [, epoch] = /^\s*@(-?\d{1,12}(?:\.\d{1,9})?)\s*$/.exec(text) ?? []
  if (epoch !== undefined) return Number(epoch)
  if (text.length > MAX_LENGTH) return null
  const reading = new Reading(now)
  let rest = text.trim()
  while (rest !== "") {
    const fits = FORMS.map(([pattern, read]) => [pattern.exec(rest), read] as const).find(([match]) => match !== null)
    const [match, read] = fits ?? []
    if (match === null || match === undefined || read === undefined || !read(reading, match)) return null
    rest = rest.slice(match[0].length).replace(/^[\s,]+/, "")
  }
  return reading.seconds()
}
