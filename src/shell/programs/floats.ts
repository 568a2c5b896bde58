// Formats numbers with %e, %f and %g. Receives a number as an exact fraction; returns its digits as C's printf prints them.
// Invariant: digits are rounded from the exact value, and a tie goes to the even digit: 2.5 is "2" without decimals.

/** A number that is not negative. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

const MAX_EXPONENT = 400
const NUMBER = /^(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/
/** The bits of a `long double`, which is what bash's printf computes with. */
const LONG_DOUBLE = 64n

const dividedEven = (over: bigint, under: bigint): bigint => {
  const [whole, rest] = [over / under, (over % under) * 2n]
  return rest > under || (rest === under && whole % 2n === 1n) ? whole + 1n : whole
}

const bitsOf = (value: bigint): bigint => BigInt(value.toString(2).length)

/** The nearest number with the precision of a `long double`. */
const asLongDouble = ({ over, under }: Fraction): Fraction => {
  if (over === 0n) return { over, under: 1n }
  let shift = bitsOf(over) - bitsOf(under) - LONG_DOUBLE
  for (;;) {
    const mantissa = shift > 0n ? dividedEven(over, under << shift) : dividedEven(over << -shift, under)
    if (bitsOf(mantissa) <= LONG_DOUBLE)
      return shift > 0n ? { over: mantissa << shift, under: 1n } : { over: mantissa, under: 1n << -shift }
    shift += 1n
  }
}

/** The fraction of a decimal number without a sign, as a `long double`; null for other texts and extreme exponents. */
export const fractionOfText = (text: string): Fraction | null => {
  const [, whole = "", decimals = "", power = "0"] = NUMBER.exec(text) ?? []
  const exponent = Number(power) - decimals.length
  if (whole + decimals === "" || text.length > MAX_EXPONENT || Math.abs(exponent) > MAX_EXPONENT) return null
  const digits = BigInt(whole + decimals)
  return asLongDouble(
    exponent < 0
      ? { over: digits, under: 10n ** BigInt(-exponent) }
      : { over: digits * 10n ** BigInt(exponent), under: 1n },
  )
}

const SCALE = 30
const LARGE = 2 ** 53

/** The fraction of a number with at most 30 binary decimals; null for others, which are no tie within 29 decimals. */
export const fractionOf = (value: number): Fraction | null => {
  if (value >= LARGE) return { over: BigInt(value), under: 1n }
  const scaled = value * 2 ** SCALE
  return Number.isInteger(scaled) ? { over: BigInt(scaled), under: 1n << BigInt(SCALE) } : null
}

export const fixedText = ({ over, under }: Fraction, places: number): string => {
  const digits = dividedEven(over * 10n ** BigInt(places), under)
    .toString()
    .padStart(places + 1, "0")
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

const scaledBy = ({ over, under }: Fraction, power: number): Fraction =>
  power < 0 ? { over: over * 10n ** BigInt(-power), under } : { over, under: under * 10n ** BigInt(power) }

/** The power of ten of the first digit once the number is rounded to `places` decimals behind it, and these digits. */
const rounded = (number: Fraction, places: number): { readonly power: number; readonly digits: string } => {
  if (number.over === 0n) return { power: 0, digits: "0".repeat(places + 1) }
  let power = number.over.toString().length - number.under.toString().length - 1
  for (;;) {
    const { over, under } = scaledBy(number, power - places)
    const digits = dividedEven(over, under).toString()
    if (digits.length <= places + 1) return { power, digits }
    power += 1
  }
}

export const exponentialText = (number: Fraction, places: number): string => {
  const { power, digits } = rounded(number, places)
  const order = `${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`
  return `${digits.slice(0, 1)}${places > 0 ? `.${digits.slice(1)}` : ""}e${order}`
}

/** As `%g`: the shorter of both forms, without zeros at the end of its decimals. */
export const generalText = (number: Fraction, precision: number, zeros: boolean): string => {
  const digits = Math.max(precision, 1)
  const { power } = rounded(number, digits - 1)
  const exponential = power < -4 || power >= digits
  const text = exponential ? exponentialText(number, digits - 1) : fixedText(number, digits - 1 - power)
  return zeros || !text.includes(".") ? text : text.replace(/\.?0+(?=e|$)/, "")
}
