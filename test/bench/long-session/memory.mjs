// The memory of the isolate that sessions use after a hundred tool turns: live, and at rest. Groups of sessions run one after
// the other. The first group is reported separately: what it leaves belongs to the isolate and not to a session (compiled code
// and caches).
import { setTimeout as delay } from "node:timers/promises"
import { loop } from "../figures.mjs"
import { openHeap } from "./heap.mjs"
import { line } from "./table.mjs"

/** workerd evicts an object after ten seconds without a request. */
export const EVICTED_AFTER_MS = 14_000

const TURNS = 100
/** Sessions whose turns run at the same time. */
const AT_ONCE = 20
/** While sessions wait for others, each is requested often enough to prevent the eviction of its object. */
const AWAKE_MS = 3_000

/** Runs `work` for every item of the list, `AT_ONCE` in parallel. */
const inParallel = async (list, work) => {
  const waiting = [...list]
  const one = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
}

/** Runs `count` sessions with their turns, all of them in memory at the end; returns the number of turns without a result. */
const group = async (target, count) => {
  const sessions = await Promise.all(Array.from({ length: count }, () => target.session()))
  let failed = 0
  let done = false
  const awake = (async () => {
    for (; !done; await delay(AWAKE_MS)) await inParallel(sessions, (session) => session.info())
  })()
  await inParallel(sessions, async ({ turn }) => {
    for (let left = TURNS; left > 0; left -= 1) await turn(loop(1).prompt).catch(() => (failed += 1))
  })
  done = true
  await awake
  await inParallel(sessions, (session) => session.info())
  return failed
}

const mib = (bytes) => (bytes / 1024 / 1024).toFixed(1)

export const measureMemory = async ({ api, server, target, counts }) => {
  await (await target.session()).info()
  const [, inspector] = /inspector at (\S+)/.exec(server.output())
  const heap = await openHeap(inspector, () => fetch(server.url))
  const started = await heap.used()
  await group(target, AT_ONCE)
  await delay(EVICTED_AFTER_MS)
  let before = await heap.used()
  line(`heap of the isolate, MiB: ${mib(started)} at its start, ${mib(before)} after ${AT_ONCE} sessions`)
  line("", "live", "at rest", "turns", "MB of")
  line("heap", "KiB each", "KiB each", "failed", "workerd")
  for (const count of counts) {
    const each = async () => (((await heap.used()) - before) / count / 1024).toFixed(1)
    const failed = await group(target, count)
    api.runs.clear()
    const [live, mb] = [await each(), target.memoryMb()]
    await delay(EVICTED_AFTER_MS)
    line(`${count} sessions`, live, await each(), String(failed), String(mb))
    before = await heap.used()
  }
  heap.close()
}
