// Kills the server at named moments and at random ones while sessions work, and restarts it.
// Invariant: each kill ends the whole process group, and the following rounds resume what was interrupted.
import { setTimeout as delay } from "node:timers/promises"
import { PerchClient } from "../support/server/client.ts"
import { FaultyServer } from "./faulty-server.ts"
import { bodyOf, type Counter, drive, isDone, type Job, type Kind, makeJob, type World } from "./jobs.ts"

/** The moments, each with a kind of job that reaches it. */
const POINTS: ReadonlyArray<readonly [point: string, kind: Kind, most: number]> = [
  ["append:before", "write", 12],
  ["append:after", "write", 12],
  ["tool:start:after", "outside", 1],
  ["outside:during", "outside", 1],
  ["tool:settle:before", "outside", 1],
  ["turn:settle:before", "text", 1],
  ["turn:settle:after", "text", 1],
  ["ask:open:after", "allow", 1],
  ["ask:waits", "deny", 1],
  ["session:d1:before", "text", 1],
  ["session:d1:after", "write", 1],
  ["session:queue:before", "write", 1],
  ["session:queue:after", "text", 1],
  ["consumer:before", "write", 1],
  ["consumer:after", "many", 1],
  ["fork:import", "fork", 3],
  ["answer:middle", "text", 1],
  ["random", "many", 1],
  ["random", "model", 1],
  ["random", "hang", 1],
]
const REACH_WITHIN_MS = 6_000
/** Without remaining work only the queue and its consumer, which wait for a batch, reach another moment. */
const REACH_AFTER_WORK_MS = 2_000
/** The number of concurrent sessions. */
const AT_ONCE = 6

export interface KillReport {
  readonly jobs: ReadonlyArray<Job>
  /** Kills by moment; one that was not reached in time is `… (late)`. */
  readonly kills: ReadonlyMap<string, number>
  readonly refused: ReadonlyArray<string>
}

export interface KillSettings {
  readonly server: FaultyServer
  readonly world: World
  readonly rounds: number
  readonly say: (line: string) => void
}

/** Resolves after some deltas of a streamed answer. */
const middleOfAnswer = async (perch: PerchClient, world: World, signal: AbortSignal): Promise<Job> => {
  const job = makeJob(world, "text")
  const [turn] = job.turns
  const made = await perch.request("POST", "/v1/sessions", {
    json: { id: job.session, options: job.options },
    signal,
  })
  await made.body?.cancel()
  job.made = true
  const response = await perch.request("POST", `/v1/sessions/${job.session}/query`, {
    json: bodyOf(turn!), // a text job has one
    headers: { accept: "text/event-stream" },
    signal,
  })
  let seen = 0
  for await (const chunk of response.body ?? []) {
    seen += new TextDecoder().decode(chunk).split("content_block_delta").length - 1
    if (seen >= 3) break
  }
  return job
}

/** Resolves with true when the moment is reached, with false at the timeout. */
const moment = async (
  point: string,
  perch: PerchClient,
  { server, world }: KillSettings,
  jobs: Array<Job>,
  { driven, signal }: { readonly driven: Promise<unknown>; readonly signal: AbortSignal },
): Promise<boolean> => {
  const { random, counter } = world
  if (point === "random") {
    await delay(100 + random() * 1_200)
    return true
  }
  if (point === "outside:during") return once(counter)
  if (point === "answer:middle") {
    jobs.push(await middleOfAnswer(perch, world, signal))
    return true
  }
  if (point === "ask:waits") {
    // The ask is in the log, and its turn waits.
    await delay(400 + random() * 400)
    return true
  }
  const afterWork = driven.then(() => server.reached(REACH_AFTER_WORK_MS))
  return Promise.race([server.reached(REACH_WITHIN_MS), afterWork])
}

const once = (counter: Counter): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), REACH_WITHIN_MS)
    counter.onCall = () => {
      clearTimeout(timer)
      counter.onCall = () => undefined
      resolve(true)
    }
  })

export const kill = async (settings: KillSettings): Promise<KillReport> => {
  const { server, world, rounds, say } = settings
  const { random } = world
  const perch = new PerchClient(server)
  const jobs: Array<Job> = []
  const kills = new Map<string, number>()
  const refused: Array<string> = []
  const shift = Math.floor(random() * POINTS.length)
  for (let round = 0; round < rounds; round += 1) {
    const [point, kind, most] = POINTS[(round + shift) % POINTS.length]! // not empty
    const signal = random() < 0.7 ? "SIGKILL" : "SIGTERM"
    const parent = jobs.find((job) => job.kind === "write" && isDone(job))
    if (kind === "fork" && parent !== undefined) jobs.push(makeJob(world, kind, parent))
    else jobs.push(makeJob(world, kind === "fork" ? "write" : kind))
    jobs.push(makeJob(world, (["text", "write", "allow", "outside"] as const)[Math.floor(random() * 4)]!))
    const abort = new AbortController()
    const named = point.includes(":") && !["outside:during", "ask:waits", "answer:middle"].includes(point)
    if (named) await server.set({ point, nth: 1 + Math.floor(random() * most) })
    const waiting = jobs.filter((job) => !isDone(job)).slice(-AT_ONCE)
    const driven = Promise.allSettled(waiting.map((job) => drive(perch, job, abort.signal)))
    const came = await moment(point, perch, settings, jobs, { driven, signal: abort.signal })
    await server.kill(signal)
    abort.abort()
    // Requests of a server that was killed are interrupted; a refusal is an error.
    for (const outcome of await driven) {
      if (outcome.status === "rejected" && outcome.reason?.constructor?.name === "Refused") {
        refused.push(String(outcome.reason))
      }
    }
    const name = came ? point : `${point} (late)`
    kills.set(name, (kills.get(name) ?? 0) + 1)
    await server.restart()
    if ((round + 1) % 10 === 0) say(`${round + 1} kills, ${jobs.filter(isDone).length} of ${jobs.length} sessions done`)
  }
  // Nothing is killed any more: every interrupted job runs to its end.
  const left = jobs.filter((job) => !isDone(job))
  say(`${left.length} sessions go on to their end`)
  for (let from = 0; from < left.length; from += AT_ONCE) {
    const some = left.slice(from, from + AT_ONCE)
    const ends = await Promise.allSettled(some.map((job) => drive(perch, job, AbortSignal.timeout(120_000))))
    for (const end of ends) if (end.status === "rejected") refused.push(String(end.reason))
  }
  return { jobs, kills, refused }
}
