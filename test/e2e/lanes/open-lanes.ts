// Turns that wait for a slot while the server is killed: afterwards no more run than before, and all end in order.
import { expect } from "vitest"
import { type ApiLog, mostAtOnce } from "../../support/session/api-log.ts"
import { eventually, type PerchClient } from "../../support/server/client.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"
import { laneOf, laneTenant, untilHeld, waitsOf } from "./lane-tenant.ts"

const SESSIONS = 8
const LIMIT = 2

/** Call it before the server is killed; call the returned function once it runs again. */
export const openLanes = async (root: PerchClient, api: ApiLog): Promise<() => Promise<void>> => {
  const { perch } = await laneTenant(root, { lane_turns: LIMIT })
  const script = scriptName("lane-killed")
  await api.set(script, [{ content: [text("Done.")], hold: { gate: script } }])
  const ids: Array<string> = []
  for (let made = 0; made < SESSIONS; made += 1) {
    const id = await perch.createSession()
    ids.push(id)
    await perch.submit(id, promptFor(script))
    await eventually(async () => {
      if ((await laneOf(perch, id)) !== undefined) return true
      return made < LIMIT && (await api.requests(script)).length > made ? true : undefined
    })
  }
  return async () => {
    // Reading a session loads it again, and it continues.
    for (const id of ids) await perch.json("GET", `/v1/sessions/${id}`)
    await untilHeld(api, script, LIMIT)
    await api.release(script)
    const waits = []
    for (const id of ids) {
      const events = await perch.eventsUntilResults(id, 1)
      expect(events.filter(({ name }) => name.startsWith("sdk:result"))).toHaveLength(1)
      waits.push(...waitsOf(events))
    }
    const requests = await api.requests(script)
    expect(mostAtOnce(requests)).toBe(LIMIT)
    expect(waits).toHaveLength(SESSIONS - LIMIT)
    const entered = waits.map(({ enteredAt }) => enteredAt ?? Number.POSITIVE_INFINITY)
    for (const [index, at] of entered.entries()) {
      const ahead = entered.slice(index + 1).filter((other) => other < at)
      expect(ahead.length).toBeLessThanOrEqual(LIMIT)
    }
  }
}
