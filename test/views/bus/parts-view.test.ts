// format=parts as a function of the log: whatever is streamed before, and wherever a reader joins.
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { HeadPath } from "../../../src/schemas/log/head-path.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { partsView } from "../../../src/views/bus/parts-view.ts"
import { baseAlong, movesOf, viewEventsOf } from "../../support/values/view-events.ts"
import { EMPTY_BASE } from "../../../src/views/live/session-base.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import type { Frame } from "../../../src/views/sdk.ts"
import { BusClient, byId } from "../../support/views/bus-client.ts"
import { projectParts } from "../../support/values/project-parts.ts"
import { SESSION, TurnLog } from "../../support/session/turn-log.ts"
import { catchUp, sessionPlans, type Step, stepsOf, streamEvent } from "./streamed-log.ts"

const logOf = (steps: ReadonlyArray<Step>): ReadonlyArray<LogEvent> =>
  steps.flatMap((step) => ("logged" in step ? [step.logged] : []))

/** The conversation as the pages have it. */
const pageOf = (events: ReadonlyArray<LogEvent>) => {
  const path = new HeadPath(movesOf(events))
  return byId(
    projectParts(
      SESSION,
      events.filter(({ seq }) => path.has(seq)),
    ),
  )
}

/** The first event of the earliest turn that is open after `after`. */
const startOf = (events: ReadonlyArray<LogEvent>, after: number): number => {
  const open = new Map<string, number>()
  for (const { name, turn, seq, payload } of events.slice(0, after)) {
    if (name === "turn:queued") open.set(String(turn), seq)
    if (name.startsWith("sdk:result/") || name === "turn:cancelled") open.delete(String(turn))
    if (name === "turn:joined") open.delete(payload.turn)
  }
  return Math.min(after, ...[...open.values()].map((seq) => seq - 1))
}

/** The frames of a stream of these steps after `after`, where a reader joins after `joins` of them. */
const streamed = (all: ReadonlyArray<Step>, joins: number, after: number): ReadonlyArray<Frame> => {
  const events = logOf(all)
  const known = viewEventsOf(SESSION, events)
  const start = startOf(events, after)
  const base = { ...baseAlong(events.slice(0, start), new HeadPath(movesOf(events.slice(0, start)))), seq: start }
  const view = partsView({ sessionId: SESSION, base: start === 0 ? EMPTY_BASE : base, options: {} })
  const frames: Array<Frame> = []
  for (const event of known.slice(start, logOf(all.slice(0, joins)).length)) {
    const sent = view.apply(event)
    if ((event.seq ?? 0) > after) frames.push(...sent)
  }
  const rest = [...catchUp(all.slice(0, joins)), ...all.slice(joins)]
  for (const step of rest)
    frames.push(...view.apply("logged" in step ? known[step.logged.seq - 1]! : streamEvent(step)))
  return frames
}

const isDurable = ({ id }: Frame): boolean => id !== null

it("the frames of a stream add up to the messages of the pages, however its deltas were split", () => {
  fc.assert(
    fc.property(sessionPlans, (plan) => {
      const steps = stepsOf(plan)
      const client = new BusClient().take(streamed(steps, 0, 0))
      expect(client.messages()).toEqual(pageOf(logOf(steps)))
      expect(client.status).toBe("idle")
    }),
    { numRuns: 200 },
  )
})

it("the frames of a durable event do not depend on what was streamed before it", () => {
  fc.assert(
    fc.property(sessionPlans, (plan) => {
      const steps = stepsOf(plan)
      const silent = streamed(
        steps.filter((step) => "logged" in step),
        0,
        0,
      )
      const whole = streamed(steps, 0, 0)
      // A frame with an id is the last of its event; the previous frames have none, like those of stream events.
      expect(whole.filter(isDurable)).toEqual(silent.filter(isDurable))
      expect(whole.map(({ data }) => data)).toEqual(expect.arrayContaining(silent.map(({ data }) => data)))
    }),
    { numRuns: 100 },
  )
})

it("a reader that resumes anywhere has the same state as one that never disconnected", () => {
  fc.assert(
    fc.property(sessionPlans, fc.nat(), fc.nat(), (plan, place, delay) => {
      const steps = stepsOf(plan)
      const left = place % (steps.length + 1)
      const joined = Math.min(steps.length, left + (delay % 12))
      const before = streamed(steps.slice(0, left), 0, 0)
      const after = before.findLast(isDurable)?.id ?? 0
      const client = new BusClient().take(before).take(streamed(steps, joined, after))
      expect(client.messages()).toEqual(pageOf(logOf(steps)))
      // The frames from the log are also the same.
      const durable = streamed(steps, steps.length, 0)
      const from = durable.findIndex(({ id }) => id === after)
      expect(streamed(steps, steps.length, after)).toEqual(durable.slice(from + 1))
    }),
    { numRuns: 300 },
  )
})

it("frames that are not in the log have a new id each time", () => {
  const view = partsView({ sessionId: SESSION, base: EMPTY_BASE, options: {} })
  const sent = [
    ...(view.opened?.() ?? []),
    ...(view.joined?.() ?? []),
    ...[1, 2].flatMap(() => view.heartbeat?.() ?? []),
    ...(view.joined?.() ?? []),
  ].map(({ id, data }) => ({ place: id, event: JSON.parse(data) as { id: string; type: string } }))
  expect(sent.map(({ place, event }) => [place, event.type])).toEqual([
    [null, "server.connected"],
    [null, "session.status"],
    [null, "server.heartbeat"],
    [null, "server.heartbeat"],
    [null, "session.status"],
  ])
  expect(new Set(sent.map(({ event }) => event.id)).size).toBe(5)
})

it("a change of options or of the mode is one of the session, also while no turn shows it", () => {
  const log = new TurnLog()
  const about = (changed: LogEvent) =>
    partsView({ sessionId: SESSION, base: EMPTY_BASE, options: {} })
      .apply(viewEventOf(changed))
      .map(({ data }) => (JSON.parse(data) as { readonly type: string }).type)
  expect(about(log.add("session:changed", { options: { model: "claude-haiku-4-5" } }, null))).toEqual([
    "session.updated",
  ])
  expect(about(log.sdk("system/status", { status: null, permissionMode: "plan" }))).toContain("session.updated")
  expect(about(log.sdk("system/status", { status: "compacting" }))).not.toContain("session.updated")
  // A revert, which changes whether there is one to undo.
  expect(about(log.add("head:moved", { to_seq: 1 }, null))).toContain("session.updated")
})
