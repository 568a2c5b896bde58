// A request body that stalls: the request ends with an error that names the cause, and nothing is stored.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Envelope, makeApi } from "../../http/api.ts"

const ID = "0192f0c1-2345-7abc-8def-0123456789ab"
const STALLED_MS = 30_000

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => vi.useRealTimers())

/** Sends these chunks and then nothing, or its end. */
const bodyOf = (pieces: ReadonlyArray<string>, ends: boolean) => {
  const state = { cancelled: false, stalled: false }
  const left = [...pieces]
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(out) {
        const piece = left.shift()
        if (piece !== undefined) out.enqueue(new TextEncoder().encode(piece))
        else if (ends) out.close()
        else {
          state.stalled = true
          return new Promise<void>(() => undefined)
        }
      },
      cancel() {
        state.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, state }
}

/** Waits until the body has set its timer, and until `isThere`; other waits may use timers that are not faked. */
const untilTimer = async (isThere = () => true): Promise<void> => {
  while (!isThere() || vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
}

const opened = async () => {
  const api = makeApi()
  await api.call("POST", "/v1/sessions", { json: { id: ID } })
  return api
}

const WAYS = [
  ["a file with a length", "PUT", `/v1/sessions/${ID}/files/workspace/a`, { "content-length": "100" }],
  ["a file without a length", "PUT", `/v1/sessions/${ID}/files/workspace/a`, {}],
  ["an archive", "PUT", `/v1/sessions/${ID}/archive?path=/workspace`, { "content-type": "application/x-tar" }],
  ["a prompt", "POST", `/v1/sessions/${ID}/query`, { "content-type": "application/json" }],
  ["a session", "POST", "/v1/sessions", { "content-type": "application/json" }],
] as const

describe("a body that stalls", () => {
  it.each(WAYS.flatMap((way) => [[], ['{"a']].map((pieces) => [...way, pieces] as const)))(
    "ends the request: %s (%s %s), after %j %j",
    async (_, method, path, headers, pieces) => {
      const api = await opened()
      const { stream, state } = bodyOf(pieces, false)
      const answer = api.call(method, path, { body: stream, headers })
      await untilTimer(() => state.stalled)
      await vi.advanceTimersByTimeAsync(STALLED_MS - 1)
      expect(state.cancelled).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      const response = await answer
      expect(response.status).toBe(408)
      const { error } = (await response.json()) as Envelope
      expect(error.type).toBe("request_timeout_error")
      expect(error.message).toBe("The request body stalled for 30 seconds. Nothing of it was stored; send it again.")
      expect(state.cancelled).toBe(true)
      expect((await api.call("GET", `/v1/sessions/${ID}/files/workspace/a`)).status).toBe(404)
    },
  )

  it("sends nothing for 30 seconds, however long the whole takes", async () => {
    const api = await opened()
    const { stream } = bodyOf(["a", "b", "c"], true)
    const slow = stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(piece, out) {
          await new Promise((resolve) => setTimeout(resolve, STALLED_MS - 1))
          out.enqueue(piece)
        },
      }),
    )
    const answer = api.call("PUT", `/v1/sessions/${ID}/files/workspace/a`, { body: slow })
    for (let piece = 0; piece < 3; piece += 1) {
      await untilTimer()
      await vi.advanceTimersByTimeAsync(STALLED_MS - 1)
    }
    expect((await answer).status).toBe(201)
    expect(await (await api.call("GET", `/v1/sessions/${ID}/files/workspace/a`)).text()).toBe("abc")
  })
})
