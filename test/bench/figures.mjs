// Measures one target of the bench; returns its figures by label, in the order of the table.
// Invariant: every figure is taken the same way for each target, against the same scripted API.
import { gapsOf } from "./loop-api.mjs"

const HUNDRED = 100
/** The number of tool turns after which the history is still below 50 KB. */
const EARLY = 30
const HISTORY_PROMPTS = 2
const HALF_MEGABYTE = 512 * 1024
const LATE_TURNS = 300

let serial = 0
/** A prompt that the API answers with `count` calls of a tool, one per request, and then a text. */
export const loop = (count, tool = "Read") => {
  serial += 1
  const id = `bench${serial}`
  return { id, prompt: `[[loop:${id}:${count}:${tool}]] go` }
}

export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

const timesOf = async (count, take) => {
  const times = []
  for (let left = count; left > 0; left -= 1) times.push(await take())
  return times
}

/** Sends prompts of half a megabyte each, so that the session has a history of one megabyte. */
const fill = async ({ turn }) => {
  for (let left = HISTORY_PROMPTS; left > 0; left -= 1) {
    await turn(`${"lorem ipsum ".repeat(HALF_MEGABYTE / 12)}\n${loop(0).prompt}`)
  }
}

/**
 * Milliseconds per tool turn of a hundred in a row, in a session of their own, the gaps between its requests, and the
 * processor time of a tool turn with all that is delivered of it afterwards. What was before is delivered before it begins.
 */
const hundred = async (target, api, { history = false, ...options } = {}) => {
  const session = await target.session(options)
  await session.turn(loop(0).prompt)
  if (history) await fill(session)
  await target.settled()
  const before = target.cpuMs()
  const asked = loop(HUNDRED)
  const { result } = await session.turn(asked.prompt)
  await target.settled()
  const cpu = before === null ? null : (target.cpuMs() - before) / HUNDRED
  await session.close()
  return { each: result / HUNDRED, gaps: gapsOf(api.runs.get(asked.id)), cpu }
}

const toolTurns = async (target, api, rounds) => {
  // The first hundred of a process includes its JIT compilation.
  await hundred(target, api)
  const plain = await timesOf(rounds, () => hundred(target, api))
  const hooked = await timesOf(rounds, () => hundred(target, api, { hooks: true }))
  const long = await timesOf(rounds, () => hundred(target, api, { history: true }))
  const each = (runs) => median(runs.map((run) => run.each))
  return [
    ["tool turn, ms", each(plain)],
    ["  its gap below 50 KB, ms", median(plain.map(({ gaps }) => median(gaps.slice(0, EARLY))))],
    ["  its CPU, deliveries included, ms", plain[0].cpu === null ? null : median(plain.map(({ cpu }) => cpu))],
    ["tool turn with 2 hooks, ms", each(hooked)],
    ["tool turn at 1 MB of history, ms", each(long)],
  ]
}

const firstTexts = async (target, rounds) => {
  const cold = await timesOf(rounds, async () => {
    const session = await target.session({ cold: true })
    return (await session.turn(loop(0).prompt)).firstText
  })
  const session = await target.session()
  await session.turn(loop(0).prompt)
  const warm = await timesOf(rounds, async () => (await session.turn(loop(0).prompt)).firstText)
  return [
    ["first text, cold session, ms", median(cold)],
    ["first text, warm session, ms", median(warm)],
  ]
}

/** A text turn of a young session, and of one that has had 300. */
const lateTurns = async (target) => {
  const session = await target.session()
  const one = async () => (await session.turn(loop(0).prompt)).result
  await one()
  const early = await timesOf(20, one)
  await timesOf(LATE_TURNS, one)
  const late = await timesOf(20, one)
  return [
    ["text turn, ms", median(early)],
    [`text turn after ${LATE_TURNS}, ms`, median(late)],
  ]
}

/** Tool turns per second of `level` concurrent sessions, and their memory. */
const atOnce = async (target, level) => {
  // The same number of calls for many sessions as for few would take minutes.
  const calls = level > 64 ? 4 : level > 16 ? 8 : 20
  const sessions = await Promise.all(Array.from({ length: level }, () => target.session()))
  await Promise.all(sessions.map(({ turn }) => turn(loop(0).prompt)))
  const began = performance.now()
  await Promise.all(sessions.map(({ turn }) => turn(loop(calls).prompt)))
  const seconds = (performance.now() - began) / 1000
  const label = `${level} session${level === 1 ? "" : "s"}`
  return [
    [`${label}, tool turns/s`, (level * calls) / seconds],
    [`${label}, MB of workerd`, target.memoryMb()],
  ]
}

/** Yields `[label, number]` as each becomes known; null if there is none. */
export async function* figuresOf(target, api, { rounds, levels, until }) {
  yield* await firstTexts(target, 3 * rounds)
  yield* await toolTurns(target, api, rounds)
  yield* await lateTurns(target)
  // Skips what a slow or busy machine has no time left for.
  for (const level of levels) if (performance.now() < until) yield* await atOnce(target, level)
}
