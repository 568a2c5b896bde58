// Receives numbers and times; returns them as the console shows them.
// Invariant: they are written as Intl writes them in English, without it: each of its formatters takes milliseconds to make,
// which every page would wait for.

/** US dollars; a sum that four decimals would show as zero is shown as less than this. */
const LEAST_USD = 0.0001

/** The digits of a number that is not negative, with commas: 1,234,567.5. */
const grouped = (digits: string): string => {
  const [whole = "", fraction] = digits.split(".")
  const groups = whole.replace(/\B(?=(?:\d{3})+$)/g, ",")
  return fraction === undefined ? groups : `${groups}.${fraction}`
}

/** A number that is not negative with so many decimals, rounded as it is written: 0.21125 has 0.2113, whatever its bits are. */
const fixed = (amount: number, decimals: number): string => {
  const [digits = "", exponent = "0"] = String(amount).split("e")
  return (Math.round(Number(`${digits}e${Number(exponent) + decimals}`)) / 10 ** decimals).toFixed(decimals)
}

const dollars = (amount: number, decimals: number): string =>
  `${amount < 0 ? "-" : ""}$${grouped(fixed(Math.abs(amount), decimals))}`

/** US dollars; sums below one dollar with four decimals. */
export const usd = (amount: number): string => {
  if (amount > 0 && amount < LEAST_USD / 2) return `< ${dollars(LEAST_USD, 4)}`
  return dollars(amount, Math.abs(amount) < 1 && amount !== 0 ? 4 : 2)
}

/** US dollars for labels of an axis, such as $0.50 or $0.0025: two decimals, and up to four where the sum has them. */
export const roundUsd = (amount: number): string => dollars(amount, 4).replace(/0{1,2}$/, "")

/** 1,234; what is no whole number with three decimals at most. */
export const count = (amount: number): string => {
  const size = Math.abs(amount)
  const digits = Number.isInteger(size) ? String(size) : fixed(size, 3).replace(/\.?0+$/, "")
  return `${amount < 0 ? "-" : ""}${grouped(digits)}`
}

/** 1 answer, 2 answers. */
export const counted = (amount: number, noun: string): string => `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`

const THOUSANDS = ["", "K", "M", "B", "T"]

/** 12.3K, 1.2M, of a number that is not negative. */
export const compact = (amount: number): string => {
  const shown = THOUSANDS.map((letter, index) => ({ letter, tenths: Math.round((amount * 10) / 1000 ** index) }))
  const { letter, tenths } = shown.find(({ tenths }) => tenths < 10_000) ?? shown.at(-1)!
  return `${grouped(String(tenths / 10))}${letter}`
}

const DAY = 86_400
const UNITS = [
  ["d", DAY],
  ["h", 3600],
  ["m", 60],
] as const

/** "5m ago", "yesterday", of an ISO 8601 time. */
export const relativeTime = (iso: string, now: number = Date.now()): string => {
  const seconds = (Date.parse(iso) - now) / 1000
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  if (unit === undefined) return "now"
  const [letter, length] = unit
  const amount = Math.round(seconds / length)
  if (length === DAY && Math.abs(amount) === 1) return amount < 0 ? "yesterday" : "tomorrow"
  const shown = `${count(Math.abs(amount))}${letter}`
  return amount < 0 ? `${shown} ago` : `in ${shown}`
}

/** 250 ms, 1.2 s, 3 min 4 s. */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

export const bytes = (size: number): string =>
  size < 1024
    ? `${size} B`
    : size < 1_048_576
      ? `${(size / 1024).toFixed(1)} KiB`
      : `${(size / 1_048_576).toFixed(1)} MiB`
