// The cost of recording a session, and the speed of playing a recording: tool turns of recorded sessions alternating with those
// of others, and the events per second of a replay.
import { loop, median } from "../figures.mjs"

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

/**
 * `[label, number]` of a Perch server. A session of one kind follows one of the other, and each pair has its own ratio: both
 * met the same machine.
 */
export const recordedCosts = async (target, client, rounds) => {
  await hundred(target, {})
  await hundred(target, RECORD)
  const pairs = []
  for (let left = rounds; left > 0; left -= 1)
    pairs.push({ live: await hundred(target, {}), recorded: await hundred(target, RECORD) })
  const over = (key) => (median(pairs.map(({ live, recorded }) => recorded[key] / live[key])) - 1) * 100
  return [
    ["tool turn of a recorded session, ms", median(pairs.map(({ recorded }) => recorded.each))],
    ["  over one that is live, %", over("each")],
    ["  its CPU over one that is live, %", over("cpu")],
    ["events of a replay per second", await replaySpeed(client, pairs.at(-1).recorded.id)],
  ]
}
