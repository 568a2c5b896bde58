// Calls of D1 and the Queue that are never answered.
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { attempt, CALL_LIMIT_MS } from "../../src/store/store-error.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => undefined)

it("a call that is never answered fails like one that could not be made", async () => {
  const asked = Effect.runPromise(Effect.flip(attempt("read", never)))
  await vi.advanceTimersByTimeAsync(CALL_LIMIT_MS)
  expect(await asked).toMatchObject({ operation: "read", message: "read failed", unavailable: true })
})

it("a call that is answered leaves no timer", async () => {
  expect(await Effect.runPromise(attempt("read", async () => 1))).toBe(1)
  await Effect.runPromise(Effect.flip(attempt("read", () => Promise.reject(new Error("gone")))))
  expect(vi.getTimerCount()).toBe(0)
})
