// Runs inside the Worker under test: names the moments at which a server may be killed, and makes D1 and the Queue fail. At the
// requested moment the process prints its name and waits, so that the test can kill it there.
// Invariant: without a fault point nothing differs from the real Worker.
import type { Env } from "../../src/schemas/env.ts"

/** The campaign's settings, see `POST /__faults`. */
export interface Faults {
  /** The process waits the `nth` time that it reaches this point. */
  point: string | null
  nth: number
  /** D1, or the Queue, is down: for the Worker including the queue's consumer, or for all. */
  d1: boolean | "worker"
  queue: boolean
}

export const faults: Faults = { point: null, nth: 1, d1: false, queue: false }

export const REACHED = "FAULT POINT REACHED"

/** Called when the process reaches a named moment. */
export const reach = (point: string): void => {
  if (faults.point !== point) return
  faults.nth -= 1
  if (faults.nth > 0) return
  faults.point = null
  console.log(`${REACHED} ${point}`)
  // Nothing more happens until the kill.
  for (;;);
}

const lost = () => Promise.reject(new Error("D1_ERROR: Network connection lost."))
const DEAD: unknown = { bind: () => DEAD, all: lost, run: lost, first: lost }

const isGone = (who: string): boolean => faults.d1 === true || faults.d1 === who

/** D1 with its faults; `who` identifies the caller. */
const faultyD1 = (db: D1Database, who: string): D1Database =>
  new Proxy(db, {
    get: (target, name) => {
      if (name === "prepare") return (sql: string) => (isGone(who) ? DEAD : target.prepare(sql))
      if (name !== "batch") return Reflect.get(target, name)
      return async (statements: Array<D1PreparedStatement>) => {
        if (isGone(who) || statements.includes(DEAD as D1PreparedStatement)) return lost()
        reach(`${who}:d1:before`)
        const done = await target.batch(statements)
        reach(`${who}:d1:after`)
        return done
      }
    },
  })

const faultyQueue = (queue: Queue, who: string): Queue =>
  new Proxy(queue, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function") return method
      return async (...args: ReadonlyArray<unknown>) => {
        if (faults.queue) throw new Error("QUEUE_ERROR: gone")
        reach(`${who}:queue:before`)
        const done: unknown = await Reflect.apply(method, target, args)
        reach(`${who}:queue:after`)
        return done
      }
    },
  })

const made = new Map<string, Env>()

/** The bindings with their faults: one object for each of their users. */
export const faultyEnv = (env: Env, who: "worker" | "session"): Env => {
  const known = made.get(who)
  if (known !== undefined) return known
  const faulty = { ...env, DB: faultyD1(env.DB, who), HOOKS: faultyQueue(env.HOOKS, who) }
  made.set(who, faulty)
  return faulty
}

/** The moments of a session's own storage, by the statement at which they start. */
const STATEMENTS: ReadonlyArray<readonly [begins: string, point: string]> = [
  ["INSERT INTO events", "append"],
  ["INSERT INTO tool_runs", "tool:start"],
  ["UPDATE tool_runs", "tool:settle"],
  ["UPDATE inbox SET result_seq", "turn:settle"],
  ["INSERT INTO asks", "ask:open"],
]

/** Makes a session's storage report its moments: `POINT:before` before a statement, `POINT:after` once it is on the disk. */
export const watchStorage = (storage: DurableObjectStorage): void => {
  const { sql } = storage
  const exec = sql.exec.bind(sql)
  let forking = false
  const watched = (query: string, ...bindings: Array<unknown>) => {
    if (faults.point === null) return exec(query, ...bindings)
    if (query.startsWith("INSERT INTO meta") && bindings[0] === "forking") forking = true
    if (query.startsWith("DELETE FROM meta") && bindings[0] === "forking") forking = false
    if (forking && query.startsWith("INSERT INTO events")) reach("fork:import")
    const [, point] = STATEMENTS.find(([begins]) => query.startsWith(begins)) ?? []
    if (point !== undefined) reach(`${point}:before`)
    const cursor = exec(query, ...bindings)
    if (faults.point === `${point}:after`) void storage.sync().then(() => reach(`${point}:after`))
    return cursor
  }
  Object.defineProperty(sql, "exec", { value: watched, configurable: true })
}
