// Receives numbers and times; returns the texts that the console shows for them.
// Invariant: an Intl formatter is created on first use: creating one takes milliseconds, which would delay every page.
import { serverNow } from "../store/server-time.ts"

/** Returns a function that calls `make` once, at its first call, and then always returns the same value. */
export const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

const numbers = (options: Intl.NumberFormatOptions = {}) => lazily(() => new Intl.NumberFormat("en", options))

const USD = { style: "currency", currency: "USD" } as const
const smallUsd = numbers({ ...USD, minimumFractionDigits: 4 })
const axisUsd = numbers({ ...USD, maximumFractionDigits: 4 })
const largeUsd = numbers(USD)
/** In US dollars; an amount that four decimals would show as zero is shown as less than this. */
const LEAST_USD = 0.0001
const wholeCount = numbers()
const shortCount = numbers({ notation: "compact", maximumFractionDigits: 1 })
/** It writes "1d ago" and never "yesterday", because 26 hours ago may be the day before yesterday. */
const fromNow = lazily(() => new Intl.RelativeTimeFormat("en", { style: "narrow" }))

/** An amount in US dollars; with four decimals below one dollar. */
export const usd = (amount: number): string => {
  if (amount > 0 && amount < LEAST_USD / 2) return `< ${smallUsd().format(LEAST_USD)}`
  return (Math.abs(amount) < 1 && amount !== 0 ? smallUsd() : largeUsd()).format(amount)
}

/** US dollars for the labels of an axis, such as $0.50 or $0.0025: two decimals, or up to four if the amount has them. */
export const roundUsd = (amount: number): string => axisUsd().format(amount)

export const count = (amount: number): string => wholeCount().format(amount)

/** A count with its noun: 1 answer, 2 answers. */
export const counted = (amount: number, noun: string): string => `${count(amount)} ${noun}${amount === 1 ? "" : "s"}`

/** A short form of large numbers: 12.3K, 1.2M. */
export const compact = (amount: number): string => shortCount().format(amount)

const MOMENT_PARTS = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const

/** A format for times to the second, with other parts as given. It uses a 24-hour clock; midnight is 00:00:00. */
export const momentFormat = (others: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en", { ...MOMENT_PARTS, ...others })

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const

/** An ISO 8601 time relative to now: "5m ago", "1d ago". */
export const relativeTime = (iso: string, now: number = serverNow()): string => {
  const seconds = (Date.parse(iso) - now) / 1000
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  // Only complete units count: 59.5 minutes must not become 60.
  return unit === undefined ? "now" : fromNow().format(Math.trunc(seconds / unit[1]), unit[0])
}

/** A duration in milliseconds as text: 250 ms, 1.2 s, 3 min 4 s. */
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
