// A tenant whose turns wait for a slot: never more run than its limit allows, they start in the order of their arrival, and
// another tenant is not affected.
import { expect, inject, it } from "vitest"
import { ApiLog, mostAtOnce } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { laneOf, laneTenant, untilHeld, untilWaiting, waitsOf } from "./lane-tenant.ts"
import { promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const root = new PerchClient(shared)

const SESSIONS = 64
const LIMIT = 4

/** The shown waits, once all sessions but `running` have one. Read one after the other, to limit the server's load. */
const shownLanes = (perch: PerchClient, ids: ReadonlyArray<string>, running: number) =>
  eventually(async () => {
    const lanes = []
    for (const id of ids) lanes.push(await laneOf(perch, id))
    const found = lanes.filter((lane) => lane !== undefined)
    return found.length === ids.length - running ? found : undefined
  })

it(
  "64 sessions with a limit of 4: never more than 4 run, each starts in the order of arrival, and another tenant continues",
  { timeout: 120_000 },
  async () => {
    const { perch } = await laneTenant(root, { lane_turns: LIMIT })
    const other = await laneTenant(root, {})
    const [script, beside] = [scriptName("lane"), scriptName("beside")]
    await api.set(script, [{ content: [text("Done.")], hold: { gate: script } }])
    await api.set(beside, [textAnswer("Beside.")])
    const ids = await Promise.all(Array.from({ length: SESSIONS }, () => perch.createSession()))
    await Promise.all(ids.map((id) => perch.submit(id, promptFor(script))))
    await untilHeld(api, script, LIMIT)
    const lanes = await shownLanes(perch, ids, LIMIT)
    expect(lanes.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: SESSIONS - LIMIT }, (_, index) => index + 1),
    )
    expect(new Set(lanes.map(({ limit }) => limit))).toEqual(new Set([LIMIT]))
    const messages = await other.perch.query(await other.perch.createSession(), promptFor(beside))
    expect(messages.at(-1)).toMatchObject({ type: "result", result: "Beside." })
    // A second prompt for sessions that have one: it queues after all others.
    const again = ids.slice(0, LIMIT)
    await Promise.all(again.map((id) => perch.submit(id, promptFor(script))))
    await api.release(script)
    const logs = []
    for (const id of ids) logs.push(await perch.eventsUntilResults(id, again.includes(id) ? 2 : 1))
    expect(mostAtOnce(await api.requests(script))).toBe(LIMIT)
    const waits = logs.flatMap(waitsOf)
    expect(waits.filter(({ enteredAt }) => enteredAt === null)).toEqual([])
    for (const { positions } of waits) {
      expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => b - a))
      expect(positions.length).toBeLessThanOrEqual(Math.log2(SESSIONS) + 5)
    }
    // Among the waits, at most `limit` turns started before one that had waited longer.
    for (const one of waits) {
      const ahead = waits.filter(({ since, enteredAt }) => since > one.since && (enteredAt ?? 0) < (one.enteredAt ?? 0))
      expect(ahead.length).toBeLessThanOrEqual(LIMIT)
    }
    for (const [index, events] of logs.entries()) {
      const results = events.filter(({ name }) => name.startsWith("sdk:result"))
      expect(results).toHaveLength(index < LIMIT ? 2 : 1)
      expect(results.every(({ payload }) => payload.result === "Done.")).toBe(true)
    }
  },
)

it("a turn that waits is shown, interrupted and cancelled, and is never sent to the model", async () => {
  const { perch } = await laneTenant(root, { lane_turns: 1 })
  const [script, never] = [scriptName("held"), scriptName("never")]
  await api.set(script, [{ content: [text("Done.")], hold: { gate: script } }])
  await api.set(never, [textAnswer("Never.")])
  const [first, second, third] = [await perch.createSession(), await perch.createSession(), await perch.createSession()]
  await perch.submit(first, promptFor(script))
  await untilHeld(api, script, 1)
  const turn = await perch.submit(second, promptFor(never))
  expect(await untilWaiting(perch, second)).toMatchObject({ position: 1, limit: 1 })
  expect(await perch.json("GET", `/v1/sessions/${second}/turns/${turn}`)).toMatchObject({
    status: "queued",
    lane: { position: 1, limit: 1 },
    started_at: null,
  })
  const shown = await perch.stream(second, { after: 0, until: ({ type }) => type === "lane_waiting" })
  expect(shown.at(-1)?.message).toMatchObject({ turn_id: turn, position: 1, limit: 1 })
  await perch.submit(third, promptFor(never))
  expect(await untilWaiting(perch, third)).toMatchObject({ position: 2 })
  expect(await perch.json("POST", `/v1/sessions/${second}/interrupt`)).toMatchObject({ interrupted: true })
  const stopped = await perch.json("GET", `/v1/sessions/${second}/turns/${turn}`)
  expect(stopped).toMatchObject({ status: "interrupted" })
  expect(stopped).not.toHaveProperty("lane")
  await eventually(async () => ((await laneOf(perch, third))?.position === 1 ? true : undefined))
  // An erased session no longer waits.
  const fourth = await perch.createSession()
  await perch.submit(fourth, promptFor(script))
  expect(await untilWaiting(perch, fourth)).toMatchObject({ position: 2 })
  await perch.json("DELETE", `/v1/sessions/${third}`)
  await eventually(async () => ((await laneOf(perch, fourth))?.position === 1 ? true : undefined))
  await api.release(script)
  await perch.eventsUntilResults(first, 1)
  // The slot is free for the next one, and nothing was sent for those that were stopped.
  await perch.eventsUntilResults(fourth, 1)
  expect((await perch.query(second, promptFor(script))).at(-1)).toMatchObject({ result: "Done." })
  expect(await api.requests(never)).toEqual([])
})

it("a limit that is raised, lowered and removed while turns wait applies at once", async () => {
  const { perch, setLimits } = await laneTenant(root, { lane_turns: 1 })
  const script = scriptName("changed")
  await api.set(script, [{ content: [text("Done.")], hold: { gate: script } }])
  const ids = await Promise.all(Array.from({ length: 7 }, () => perch.createSession()))
  await Promise.all(ids.map((id) => perch.submit(id, promptFor(script))))
  await untilHeld(api, script, 1)
  await setLimits({ lane_turns: 3 })
  await untilHeld(api, script, 3)
  await setLimits({ lane_turns: 2 })
  // Those that run continue. A prompt is accepted before its session enters the lane.
  await shownLanes(perch, ids, 3)
  // All waiting turns start, while the earlier ones still run.
  await setLimits({})
  await untilHeld(api, script, 7)
  await api.release(script)
  for (const id of ids) await perch.eventsUntilResults(id, 1)
  expect(await api.requests(script)).toHaveLength(7)
})
