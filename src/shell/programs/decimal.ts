// Decimal numbers of arbitrary length, with bc's rules for the number of decimals in a result.
// Invariant: no number has more than MAX_DIGITS digits; a longer result is a UsageError.
import { UsageError } from "./program.ts"

export const MAX_DIGITS = 1000

/** `value` in units of ten to the power of `-scale`. */
export interface Decimal {
  readonly value: bigint
  readonly scale: number
}

export const ten = (power: number): bigint => 10n ** BigInt(power)

export const limited = (value: bigint, scale: number): Decimal => {
  if (scale > MAX_DIGITS || value >= ten(MAX_DIGITS) || -value >= ten(MAX_DIGITS))
    throw new UsageError("number too large")
  return { value, scale }
}

/** The value of a number with `to` decimals, truncated towards zero. */
export const scaled = ({ value, scale }: Decimal, to: number): bigint =>
  to >= scale ? value * ten(to - scale) : value / ten(scale - to)

export const add = (left: Decimal, right: Decimal, sign: bigint): Decimal => {
  const scale = Math.max(left.scale, right.scale)
  return limited(scaled(left, scale) + sign * scaled(right, scale), scale)
}

export const multiply = (left: Decimal, right: Decimal, scale: number): Decimal => {
  const all = left.scale + right.scale
  const kept = Math.min(all, Math.max(scale, left.scale, right.scale))
  return limited(scaled({ value: left.value * right.value, scale: all }, kept), kept)
}

export const divide = (left: Decimal, right: Decimal, scale: number): Decimal => {
  if (right.value === 0n) throw new UsageError("divide by zero")
  return limited((left.value * ten(scale + right.scale)) / (right.value * ten(left.scale)), scale)
}

export const remainder = (left: Decimal, right: Decimal, scale: number): Decimal => {
  const whole = divide(left, right, scale)
  const all = Math.max(scale + right.scale, left.scale)
  const product = { value: whole.value * right.value, scale: whole.scale + right.scale }
  return limited(scaled(left, all) - scaled(product, all), all)
}

export const power = (base: Decimal, exponent: Decimal, scale: number): Decimal => {
  const times = Number(scaled(exponent, 0))
  const count = Math.abs(times)
  if (count > MAX_DIGITS * 4 || base.value.toString().length * count > MAX_DIGITS * 8)
    throw new UsageError("number too large")
  const raised = { value: base.value ** BigInt(count), scale: base.scale * count }
  if (times < 0) return divide({ value: 1n, scale: 0 }, raised, scale)
  const kept = Math.min(raised.scale, Math.max(scale, base.scale))
  return limited(scaled(raised, kept), kept)
}

export const root = (of: Decimal, scale: number): Decimal => {
  if (of.value < 0n) throw new UsageError("square root of a negative number")
  const kept = Math.max(scale, of.scale)
  const square = scaled(of, 2 * kept)
  let guess = ten(Math.ceil(square.toString().length / 2))
  for (let next = (guess + square / guess) / 2n; next < guess; next = (guess + square / guess) / 2n) guess = next
  return limited(guess, kept)
}
