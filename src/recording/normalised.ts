// Receives the JSON text of a request; returns it without ids, dates, times and durations, which differ between sessions
// that ask the same.
// Invariant: the result is JSON, and equal texts stay equal.

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
const CLOCK = "\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?: ?[AP]M)?"
const ZONE = "(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?"

/** A UUID after its first eight digits. */
const REST = "-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
const UUID = new RegExp(`[0-9a-fA-F]{8}${REST}`, "g")

/** Dates and times as JSON, shells, HTTP and people write them. */
const TIMES = [
  `\\d{4}-\\d{2}-\\d{2}(?:[T ]${CLOCK}${ZONE})?`,
  `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?${MONTH} {1,2}\\d{1,2}(?:, \\d{4})?(?: {1,2}${CLOCK}${ZONE})?(?: \\d{4}\\b)?`,
  `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?\\d{1,2} ${MONTH} \\d{4}(?: ${CLOCK}${ZONE})?`,
  `\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d+)?`,
].join("|")

/** Seconds or milliseconds since 1970, from 2020 to 2049. */
const EPOCH = "(?:1[6-9]|2[0-4])\\d{8}(?:\\d{3})?(?:\\.\\d+)?"

/** The beginning of a word; in JSON text the letter before it may be part of an escape sequence. */
const START = "(?:(?<![\\w.])|(?<=\\\\[nrtbf]))"

const TIME = new RegExp(`(?=[0-9A-Z])${START}(?:(${TIMES})|${EPOCH})(?!\\w)`, "g")

/** Quick tests, ten times as fast: a text that these do not match has no UUID or no time. */
const MAY_HAVE_UUID = new RegExp(REST)
const MAY_HAVE_TIME = new RegExp(`\\d(?::\\d\\d:|-\\d\\d-\\d|\\d{9}| ${MONTH})|${MONTH} {1,2}\\d`)

/** A number that says how long something took, under whatever name, in JSON, in JSON inside of a text, or in words. */
const DURATION = /((?:duration|elapsed|latency)_?(?:api_?)?(?:ms|seconds)(?:\\?")?: ?)\d+(?:\.\d+)?/gi

/** UUIDs are numbered in the order in which they appear in the text, or (`same`) are all the same. */
export const normalised = (json: string, uuids: "numbered" | "same" = "numbered"): string => {
  let text = json
  if (MAY_HAVE_UUID.test(text)) text = text.replace(UUID, uuids === "same" ? () => "{uuid}" : numbering())
  // A number in JSON must stay a number.
  if (MAY_HAVE_TIME.test(text))
    text = text.replace(TIME, (_, time: string | undefined) => (time === undefined ? "0" : "{time}"))
  return text.replace(DURATION, "$10")
}

const numbering = (): ((uuid: string) => string) => {
  const numbers = new Map<string, number>()
  return (uuid) => {
    const known = uuid.toLowerCase()
    const number = numbers.get(known) ?? numbers.size + 1
    numbers.set(known, number)
    return `{uuid ${number}}`
  }
}
