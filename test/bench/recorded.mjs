// What it costs to record a session, and how fast a recording is played: tool turns of recorded sessions between those of
// others, and the events that a replay makes in a second.
import { loop, median } from "./figures.mjs"

const HUNDRED = 100

const RECORD = { runtime: { mode: "record" } }

/** Milliseconds per tool turn of a hundred in a row, and the session's id. */
const hundred = async (target, extra) => {
  const session = await target.session({ extra })
  await session.turn(loop(0).prompt)
  await target.settled()
  const before = target.cpuMs()
  const { result } = await session.turn(loop(HUNDRED).prompt)
  await target.settled()
  return { each: result / HUNDRED, cpu: (target.cpuMs() - before) / HUNDRED, id: session.id() }
}

/** Events per second of a replay. */
const replaySpeed = async (client, sessionId) => {
  const { id } = await client.json("POST", "/v1/recordings", { json: { session_id: sessionId }, status: 201 })
  const began = performance.now()
  const report = await client.json("POST", `/v1/recordings/${id}/replay`, { json: {} })
  const seconds = (performance.now() - began) / 1000
  if (report.equal !== true) throw new Error(`the replay is another: ${JSON.stringify(report.difference)}`)
  return report.events / seconds
}

/** `[label, number]` of a Perch server. The rounds of both kinds take turns, so that both meet the same machine. */
export const recordedCosts = async (target, client, rounds) => {
  await hundred(target, {})
  const live = []
  const recorded = []
  for (let left = rounds; left > 0; left -= 1) {
    live.push(await hundred(target, {}))
    recorded.push(await hundred(target, RECORD))
  }
  const [of, each, cpu] = [(runs, key) => median(runs.map((run) => run[key])), "each", "cpu"]
  return [
    ["tool turn of a recorded session, ms", of(recorded, each)],
    ["  over one that is live, %", (of(recorded, each) / of(live, each) - 1) * 100],
    ["  its CPU over one that is live, %", (of(recorded, cpu) / of(live, cpu) - 1) * 100],
    ["events of a replay per second", await replaySpeed(client, recorded.at(-1).id)],
  ]
}
