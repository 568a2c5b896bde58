// Receives numbers and times; returns them as the console shows them.
// Invariant: a formatter of Intl is made when it is first used: each takes milliseconds, which every page would wait for.

/** Calls `make` when the value is first asked for, and returns the same value from then on. */
export const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

const numbers = (options: Intl.NumberFormatOptions = {}) => lazily(() => new Intl.NumberFormat("en", options))

const USD = { style: "currency", currency: "USD" } as const
const smallUsd = numbers({ ...USD, minimumFractionDigits: 4 })
const axisUsd = numbers({ ...USD, maximumFractionDigits: 4 })
const largeUsd = numbers(USD)
/** US dollars; a sum that four decimals would show as zero is shown as less than this. */
const LEAST_USD = 0.0001
const wholeCount = numbers()
const shortCount = numbers({ notation: "compact", maximumFractionDigits: 1 })
const fromNow = lazily(() => new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" }))

/** US dollars; sums below one dollar with four decimals. */
export const usd = (amount: number): string => {
  if (amount > 0 && amount < LEAST_USD / 2) return `< ${smallUsd().format(LEAST_USD)}`
  return (Math.abs(amount) < 1 && amount !== 0 ? smallUsd() : largeUsd()).format(amount)
}

/** US dollars for labels of an axis, such as $0.50 or $0.0025: two decimals, and up to four where the sum has them. */
export const roundUsd = (amount: number): string => axisUsd().format(amount)

export const count = (amount: number): string => wholeCount().format(amount)

/** 1 answer, 2 answers. */
export const counted = (amount: number, noun: string): string => `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`

/** 12.3K, 1.2M. */
export const compact = (amount: number): string => shortCount().format(amount)

const MOMENT_PARTS = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const

/** Moments to the second, with what else is to be shown: midnight is 00:00:00. */
export const momentFormat = (others: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en", { ...MOMENT_PARTS, ...others })

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const

/** "5m ago", "yesterday", of an ISO 8601 time. */
export const relativeTime = (iso: string, now: number = Date.now()): string => {
  const seconds = (Date.parse(iso) - now) / 1000
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  // Whole units: 59 minutes and a half are no 60.
  return unit === undefined ? "now" : fromNow().format(Math.trunc(seconds / unit[1]), unit[0])
}

/** 250 ms, 1.2 s, 3 min 4 s. */
export const duration = (ms: number): string => {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export const bytes = (size: number): string =>
  size < 1024
    ? `${size} B`
    : size < 1_048_576
      ? `${(size / 1024).toFixed(1)} KiB`
      : `${(size / 1_048_576).toFixed(1)} MiB`
