import { afterEach, expect, test, vi } from "vitest"
import { ConnectionError, NotFoundError, type PerchError } from "../../../../src/client/api/perch-error.ts"
import { replayed, replayOf } from "../../../../src/console/time/recordings/replays.ts"

afterEach(() => void vi.useRealTimers())

const failure = (Failure: typeof ConnectionError | typeof NotFoundError, status: number): PerchError =>
  new Failure({ type: "api_error", status, message: "No answer." })

/** A server whose replay runs until all of these errors have answered a poll. */
const serverWith = (id: string, errors: ReadonlyArray<PerchError>) => {
  const left = [...errors]
  return {
    json: async <A>(method: string): Promise<A> => {
      const error = method === "GET" ? left.shift() : undefined
      if (error !== undefined) throw error
      const status = method === "GET" ? "ended" : "running"
      return { recording_id: id, session_id: "a-session", status } as A // what the replay reads
    },
  }
}

test("a replay is compared when the network is back", async () => {
  vi.useFakeTimers()
  const errors = [failure(ConnectionError, 0), failure(ConnectionError, 0)]
  const ended = replayed(serverWith("one", errors), "one")
  await vi.advanceTimersByTimeAsync(60_000)
  await ended
  expect(replayOf("one")?.status).toBe("ended")
})

test("a replay whose session is gone is no longer asked for", async () => {
  vi.useFakeTimers()
  const ended = expect(replayed(serverWith("two", [failure(NotFoundError, 404)]), "two")).rejects.toThrow("No answer.")
  await vi.advanceTimersByTimeAsync(60_000)
  await ended
})
