// The date in the tests of one file: it begins with each test at the same moment, and moves only when the test sets it.
import { afterEach, beforeEach, vi } from "vitest"

/** The date at the start of each test. */
export const NOW = Date.parse("2026-11-01T12:00:00Z")

/** Call it once, at the top of the file. */
export const withSetDate = (): void => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: NOW })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
}

/** Sets the date forward by milliseconds. */
export const later = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms)
}

export const iso = (ms: number): string => new Date(ms).toISOString()
