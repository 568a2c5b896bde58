// Twenty kills, one at each moment that the whole campaign knows; `npm run test:faults` runs many more, and other faults.
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { randomFrom } from "../bench/random.ts"
import { PerchClient } from "../support/server/client.ts"
import { createFakeApi, type ScriptedApi } from "../support/session/scripted-api.mjs"
import { FaultyServer } from "./faulty-server.ts"
import { Counter, isDone } from "./jobs.ts"
import { kill } from "./kills.ts"
import { rebuildAll, verify } from "./verify.ts"

const KILLS = 20
/** After this time since its start, a session asks D1 for what the previous process sent. */
const CHECK_AFTER_START_MS = 3_000

let api: ScriptedApi
let counter: Counter
let server: FaultyServer

beforeAll(async () => {
  api = await createFakeApi()
  counter = await Counter.start()
  server = await FaultyServer.start({ key: `faults-${randomBytes(20).toString("hex")}`, apiUrl: api.url })
})
afterAll(async () => {
  await server.dispose()
  await counter.close()
  await api.close()
})

describe("a server that is killed", () => {
  it(`${KILLS} times loses nothing and does nothing twice`, { timeout: 600_000 }, async () => {
    const seed = Math.floor(Math.random() * 100_000)
    const world = { api, counter, random: randomFrom(seed) }
    const { jobs, refused } = await kill({ server, world, rounds: KILLS, say: () => undefined })
    expect({ seed, refused }).toEqual({ seed, refused: [] })
    expect(jobs.every(isDone)).toBe(true)
    // What the queue holds in memory is lost once more, right after the last turns.
    await server.kill("SIGTERM")
    await server.restart()
    const perch = new PerchClient(server)
    const sessions = jobs.map(({ session }) => session)
    await server.wake(sessions)
    await delay(CHECK_AFTER_START_MS)
    await server.wake(sessions)
    const verdicts = await Promise.all(jobs.map((job) => verify(perch, server.state, job, counter, 60_000)))
    expect({ seed, problems: verdicts.flatMap(({ problems }) => problems) }).toEqual({ seed, problems: [] })
    expect(verdicts.reduce((sum, { hookRows }) => sum + hookRows, 0)).toBeGreaterThan(KILLS)
    const rebuilt = await rebuildAll(perch, server.state)
    expect(rebuilt).toEqual({ sessions: jobs.length, rows: rebuilt.rows, differ: [] })
  })
})
