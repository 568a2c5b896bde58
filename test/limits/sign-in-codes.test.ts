// One-time codes: usable once, for ten minutes, and for a limited number of guesses.
import { describe, expect, it } from "vitest"
import { type Codes, SignInCodes } from "../../src/limits/sign-in-codes.ts"

const MINUTE = 60_000
const hash = (digit: string): string => digit.repeat(64)

const open = () => {
  let stored: Codes = []
  let now = 1_000_000
  const kept = { read: () => stored, write: (codes: Codes) => void (stored = codes) }
  return {
    /** Reads as a restarted object does what was written before its eviction. */
    codes: () => new SignInCodes(kept, () => now),
    stored: () => stored,
    wait: (ms: number) => void (now += ms),
    now: () => now,
  }
}

describe("a sign-in code", () => {
  it("is accepted once, even if the object was evicted in the meantime", () => {
    const { codes, now } = open()
    expect(codes().offer(hash("a"))).toEqual({ until: now() + 10 * MINUTE })
    expect(codes().take(hash("a"))).toBe("accepted")
    expect(codes().take(hash("a"))).toBe("used")
  })

  it("is valid for ten minutes; for another ten minutes its refusal says that it has expired", () => {
    const { codes, wait } = open()
    codes().offer(hash("a"))
    codes().offer(hash("b"))
    wait(10 * MINUTE - 1)
    expect(codes().take(hash("a"))).toBe("accepted")
    wait(1)
    expect(codes().take(hash("b"))).toBe("expired")
    wait(10 * MINUTE)
    codes().offer(hash("c"))
    expect(codes().take(hash("b"))).toBe("wrong")
  })

  it("stays valid while others are created; the oldest of twenty-one is dropped", () => {
    const { codes, stored } = open()
    const hashes = Array.from({ length: 21 }, (_, index) => String(index).padStart(64, "0"))
    for (const one of hashes) codes().offer(one)
    expect(stored()).toHaveLength(20)
    expect(codes().take(hashes[1]!)).toBe("accepted")
    expect(codes().take(hashes[2]!)).toBe("accepted")
    expect(codes().take(hashes[0]!)).toBe("wrong")
  })

  it("is refused after twenty wrong guesses; one that is created later is accepted", () => {
    const { codes } = open()
    codes().offer(hash("a"))
    for (let guess = 0; guess < 19; guess += 1) expect(codes().take(hash("f"))).toBe("wrong")
    codes().offer(hash("b"))
    expect(codes().take(hash("f"))).toBe("wrong")
    expect(codes().take(hash("a"))).toBe("blocked")
    expect(codes().take(hash("b"))).toBe("accepted")
  })

  it("is refused if there is none, and nothing is written", () => {
    const { codes, stored } = open()
    expect(codes().take(hash("a"))).toBe("wrong")
    expect(stored()).toEqual([])
  })
})
