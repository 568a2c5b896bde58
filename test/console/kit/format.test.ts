// Numbers as the console shows them, compared with Intl in English.
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { compact, count, duration, momentFormat, relativeTime, roundUsd, usd } from "../../../src/console/kit/format.ts"

const intl = (options: Intl.NumberFormatOptions = {}) => {
  const format = new Intl.NumberFormat("en", options)
  return (amount: number) => format.format(amount)
}
const money = { style: "currency", currency: "USD" } as const
const large = intl(money)
const small = intl({ ...money, minimumFractionDigits: 4 })
const round = intl({ ...money, maximumFractionDigits: 4 })
const whole = intl()
const short = intl({ notation: "compact", maximumFractionDigits: 1 })

/** Sums with up to six decimals, so that many are halfway between two displayed values. */
const sums = fc.tuple(fc.nat(2_000_000_000), fc.nat(6)).map(([digits, decimals]) => Number(`${digits}e-${decimals}`))

it("sums equal those of Intl: four decimals below one dollar, otherwise two", () => {
  fc.assert(
    fc.property(sums, (sum) => {
      if (sum === 0 || sum >= 0.000_05) expect(usd(sum)).toBe((sum > 0 && sum < 1 ? small : large)(sum))
      if (sum >= 0.000_05) expect(usd(-sum)).toBe((sum < 1 ? small : large)(-sum))
      expect(roundUsd(sum)).toBe(round(sum))
    }),
  )
  expect([usd(0), usd(0.00004), usd(1234.5), roundUsd(0.5), roundUsd(0.0025)]).toEqual([
    "$0.00",
    "< $0.0001",
    "$1,234.50",
    "$0.50",
    "$0.0025",
  ])
})

it("counts equal those of Intl", () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(), fc.maxSafeNat(), sums), (amount) => {
      expect(count(amount)).toBe(whole(amount))
      expect(count(-amount - 1)).toBe(whole(-amount - 1))
    }),
  )
})

it("short counts equal those of Intl", () => {
  const shared = fc.oneof(
    fc.nat(2000),
    fc.nat(2_000_000),
    fc.nat(),
    fc.nat(20_000).map((tenths) => tenths * 50),
  )
  fc.assert(
    fc.property(shared, (amount) => {
      expect(compact(amount)).toBe(short(amount))
    }),
  )
  for (const amount of [999, 999_949, 999_950, 1_000_000, 1_250, 1_150]) expect(compact(amount)).toBe(short(amount))
})

it("a time is shown relative to now, like Intl", () => {
  const now = Date.parse("2026-01-31T12:00:00Z")
  const format = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "narrow" })
  const shown = (seconds: number) => relativeTime(new Date(now + seconds * 1000).toISOString(), now)
  expect([shown(0), shown(-59), shown(59)]).toEqual(["now", "now", "now"])
  for (const sign of [-1, 1]) {
    for (const minutes of [1, 2, 59]) expect(shown(sign * minutes * 60)).toBe(format.format(sign * minutes, "minute"))
    for (const hours of [1, 2, 23]) expect(shown(sign * hours * 3600)).toBe(format.format(sign * hours, "hour"))
    for (const days of [1, 2, 30, 1234]) expect(shown(sign * days * 86_400)).toBe(format.format(sign * days, "day"))
  }
})

it("a duration never has sixty seconds, and a relative time never sixty minutes or 24 hours", () => {
  expect([0, 250, 999.4, 999.6, 59_940].map(duration)).toEqual(["0 ms", "250 ms", "999 ms", "1.0 s", "59.9 s"])
  expect([59_960, 60_000, 119_400, 119_700, 184_000].map(duration)).toEqual([
    "1 min 0 s",
    "1 min 0 s",
    "1 min 59 s",
    "2 min 0 s",
    "3 min 4 s",
  ])
  const ago = (seconds: number) => relativeTime(new Date(-seconds * 1000).toISOString(), 0)
  expect([89, 3599, 86_399, 2 * 86_400 - 1].map(ago)).toEqual(["1m ago", "59m ago", "23h ago", "1d ago"])
})

it("midnight belongs to the day that starts", () => {
  const format = momentFormat({ month: "short", day: "numeric", timeZone: "UTC" })
  expect(format.format(Date.parse("2026-01-31T00:05:07Z"))).toBe("Jan 31, 00:05:07")
})
