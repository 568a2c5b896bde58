// A turn's place in its lane when the lane does not answer.
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import type { LaneAnswer, LaneRpc } from "../../../src/schemas/rpc/lane-rpc.ts"
import type { SessionCore } from "../../../src/session/core.ts"
import { LanePlace } from "../../../src/session/lanes/lane-place.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A session whose lane answers the n-th call of `enter` with the n-th value; null is an answer that never arrives. */
const placeWith = (answers: ReadonlyArray<LaneAnswer | null>) => {
  const enter = vi.fn<LaneRpc["enter"]>(() => new Promise(() => undefined))
  for (const answer of answers)
    enter.mockReturnValueOnce(answer === null ? new Promise(() => undefined) : Promise.resolve(answer))
  // A place reads and calls only these.
  const core = {
    id: "session",
    context: { env: { LANES: { getByName: () => ({ enter }) } }, tenant: "tenant", now: () => Date.now() },
    share: { laneTurns: 1 },
    log: { lastSeq: 1, seqsNamed: () => [] },
    asks: { hasBegun: () => false },
  } as unknown as SessionCore
  return { place: new LanePlace(core), enter }
}

it("a call that the lane does not answer is made again", async () => {
  const { place, enter } = placeWith([null, { entered: true, generation: 1 }])
  const wait = {
    stopped: new Promise(() => undefined),
    isNext: () => true,
    countStep: () => false,
    waits: () => undefined,
  }
  const entered = place.enter({ turn: "turn", seq: 1, fingerprint: "", resultSeq: null }, wait)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(enter).toHaveBeenCalledTimes(2)
  expect(await entered).toBe("entered")
  expect(place.hasPlace).toBe(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(enter).toHaveBeenCalledTimes(2)
})
