// Malformed frames and bodies: the server answers each, stays up, and still works. The long run is test/bench/fuzz.mjs.
import { describe, expect, inject, it } from "vitest"
import { fuzzRest, fuzzSocket, shortest } from "../../bench/fuzz.ts"
import { SCHEMA_REQUEST } from "../../bench/fuzz-frames.ts"
import { randomFrom } from "../../bench/random.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { ControlSocket } from "../../support/server/control-socket.ts"
import { PerchClient } from "../../support/server/client.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const fuzzed = (seed: number) => ({ server: shared, api, random: randomFrom(seed) })

describe("mutated frames and bodies", () => {
  it("over a socket: each usable request is answered once, the socket stays open, and a turn works afterwards", async () => {
    const { sums, faults } = await fuzzSocket(fuzzed(1), 300)
    expect(shortest(faults)).toEqual([])
    expect(sums).toMatchObject({ frames: 300 })
    // Not everything was discarded before it was parsed.
    expect(sums["requests"]).toBeGreaterThan(150)
    expect(sums["success"]).toBeGreaterThan(10)
  })

  it("with schemas for the result: each is accepted or rejected", async () => {
    const { sums, faults } = await fuzzSocket(fuzzed(2), 60, SCHEMA_REQUEST)
    expect(shortest(faults)).toEqual([])
    expect(sums["success"]).toBeGreaterThan(0)
    expect(sums["error"]).toBeGreaterThan(0)
  })

  it("over REST: no internal errors, errors have their envelope, and a turn works afterwards", async () => {
    const { sums, faults } = await fuzzRest(fuzzed(3), 100)
    expect(shortest(faults)).toEqual([])
    expect(sums["2xx"]).toBeGreaterThan(5)
    expect(sums["4xx"]).toBeGreaterThan(40)
  })

  it("a subtype that is not a string is answered, and so are the following frames of the same message", async () => {
    const id = await new PerchClient(shared).createSession()
    const socket = await ControlSocket.open(shared, id)
    const frame = (request_id: string, subtype: unknown) =>
      JSON.stringify({ type: "control_request", request_id, request: { subtype } })
    socket.raw(`${frame("odd", { toString: 1, valueOf: null })}\n${frame("plain", "get_binary_version")}\n`)
    for (const [request_id, subtype] of [
      ["odd", "error"],
      ["plain", "success"],
    ]) {
      expect(await socket.next(({ response }) => response?.request_id === request_id)).toMatchObject({
        response: { subtype },
      })
    }
    await socket.close()
  })
})
