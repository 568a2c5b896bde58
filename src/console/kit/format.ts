// Numbers and times as the console shows them.

const SMALL = new Intl.NumberFormat("en", { style: "currency", currency: "USD", minimumFractionDigits: 4 })
const ROUND = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 })
const LARGE = new Intl.NumberFormat("en", { style: "currency", currency: "USD" })
/** US dollars; a sum that four decimals would show as zero is shown as less than this. */
const LEAST_USD = 0.0001
const COUNT = new Intl.NumberFormat("en")
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" })

/** US dollars; sums below one dollar with four decimals. */
export const usd = (amount: number): string => {
  if (amount > 0 && amount < LEAST_USD / 2) return `< ${SMALL.format(LEAST_USD)}`
  return (Math.abs(amount) < 1 && amount !== 0 ? SMALL : LARGE).format(amount)
}

/** US dollars for labels of an axis, such as $0.50 or $0.0025: two decimals, and up to four where the sum has them. */
export const roundUsd = (amount: number): string => ROUND.format(amount)

export const count = (amount: number): string => COUNT.format(amount)

/** 1 answer, 2 answers. */
export const counted = (amount: number, noun: string): string => `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`

/** 12.3K, 1.2M. */
export const compact = (amount: number): string => COMPACT.format(amount)

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const

/** "5 min ago", of an ISO 8601 time. */
export const relativeTime = (iso: string, now: number = Date.now()): string => {
  const seconds = (Date.parse(iso) - now) / 1000
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  return unit === undefined ? "now" : RELATIVE.format(Math.round(seconds / unit[1]), unit[0])
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
