// The expected state after recovery: of each session's log, its rows in D1, its files, its costs, and its effects outside.
import { setTimeout as delay } from "node:timers/promises"
import type { Block, Event, PerchClient } from "../support/server/client.ts"
import { blocksOf, eventually } from "../support/server/client.ts"
import { d1Rows } from "../support/server/local-d1.ts"
import type { FaultyServer } from "./faulty-server.ts"
import type { Counter, Job } from "./jobs.ts"

/** Makes sessions deliver now what they would deliver at their next alarm, and then check that D1 has it. */
export const wakeAll = async (server: FaultyServer, jobs: ReadonlyArray<Job>): Promise<void> => {
  const sessions = jobs.map(({ session }) => session)
  await server.wake(sessions)
  await delay(1_500)
  await server.wake(sessions)
}

interface Info {
  readonly state: string
  readonly total_cost_usd: number
  readonly last_seq: number
  readonly delivery: { readonly d1_seq: number; readonly queue_seq: number; readonly stored_seq: number }
}

/** Resolves when D1 has the whole session; the time limit is that of the longest pause between two attempts. */
export const settled = (perch: PerchClient, session: string, limitMs: number): Promise<Info> =>
  eventually(async () => {
    const info = await perch.json<Info>("GET", `/v1/sessions/${session}`)
    const { d1_seq, queue_seq, stored_seq } = info.delivery
    const last = info.last_seq
    return info.state === "idle" && d1_seq === last && queue_seq === last && stored_seq === last ? info : undefined
  }, limitMs)

const same = (what: string, found: ReadonlyArray<unknown>, wanted: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const [left, right] = [found, wanted].map((list) => JSON.stringify(list.map(String).toSorted()))
  return left === right ? [] : [`${what}: ${found.length} ${left?.slice(0, 200)} and not ${wanted.length}`]
}

/** The errors of a log: seqs, turns, calls and their results. */
const problemsOfLog = (job: Job, events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  if (events.some(({ seq }, index) => seq !== index + 1)) problems.push("the log has a gap")
  for (const { uuid } of job.turns) {
    const own = events.filter(({ turn, name }) => turn === uuid && name.startsWith("sdk:"))
    const results = own.filter(({ name }) => name.startsWith("sdk:result")).length
    if (results !== 1) problems.push(`${results} results of a turn`)
    if (own.filter(({ name }) => name === "sdk:system/init").length !== 1) problems.push("not one init of a turn")
    if (own[0]?.name !== "sdk:system/init") problems.push(`a turn begins with ${own[0]?.name}`)
  }
  const skipped = events.filter(({ name }) => name === "tool:skipped").map(({ payload }) => payload["tool_use_id"])
  const blocks = messageBlocks(events)
  problems.push(
    ...same(
      "tool results",
      [...blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id), ...skipped],
      blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id),
    ),
  )
  return problems
}

const messageBlocks = (events: ReadonlyArray<Event>): ReadonlyArray<Block> =>
  events.flatMap(({ payload }) => (payload?.message === undefined ? [] : blocksOf(payload)))

const resultOf = (events: ReadonlyArray<Event>, id: string): Block | undefined =>
  messageBlocks(events).find(({ type, tool_use_id }) => type === "tool_result" && tool_use_id === id)

/** Files exist if and only if their call succeeded; effects outside happened at most once. */
const problemsOfEffects = async (
  perch: PerchClient,
  { session, turns }: Job,
  events: ReadonlyArray<Event>,
  counter: Counter,
): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  for (const { file, outside } of turns) {
    if (file !== undefined) {
      const wrote = resultOf(events, file.call)
      const found = await perch.getFile(session, file.path)
      if (wrote !== undefined && wrote.is_error !== true && found !== file.content) {
        problems.push(`a file that was written holds ${JSON.stringify(found)}`)
      }
      if ((wrote === undefined || wrote.is_error === true) && found !== null) problems.push("a file that nothing wrote")
    }
    if (outside !== undefined) {
      const count = counter.counts.get(outside.name) ?? 0
      const ran = resultOf(events, outside.call)
      if (count > 1) problems.push(`an outside call was made ${count} times`)
      if (ran !== undefined && ran.is_error !== true && count !== 1) problems.push("an outside call that was not made")
    }
  }
  return problems
}

const near = (left: number, right: number): boolean => Math.abs(left - right) < 1e-9

/** The rows of hooks and costs are the log's own, and the costs add up to the session's total. */
const problemsOfRows = (
  state: string,
  { session }: Job,
  events: ReadonlyArray<Event>,
  { total_cost_usd }: Info,
): ReadonlyArray<string> => {
  const copied = events.findLast(({ name }) => name === "session:forked")?.payload["through"]
  const own = events.filter(({ seq }) => seq > (typeof copied === "number" ? copied : 0))
  const rows = (sql: string) => d1Rows(state, sql, session)
  const hooks = rows("SELECT seq, id, hook_event_name AS name FROM hook_events WHERE session_id = ?")
  const calls = own.filter(({ name, payload }) => name === "call:finished" && payload["imported"] !== true)
  const costs = rows("SELECT seq, usd FROM costs WHERE session_id = ?")
  const fired = own.filter(({ name }) => name === "hook:fired")
  const paid = costs.reduce((sum, { usd }) => sum + Number(usd ?? 0), 0)
  // A copy's total includes its parent's cost, whose rows belong to the parent.
  const before = events
    .filter(({ name, seq }) => name === "call:finished" && seq <= (typeof copied === "number" ? copied : 0))
    .reduce((sum, { payload }) => sum + Number(payload["usd"] ?? 0), 0)
  return [
    ...same(
      "hook rows",
      hooks.map(({ seq, id, name }) => `${seq} ${id} ${name}`),
      fired.map(({ seq, payload }) => `${seq} ${payload["id"]} ${payload["hook_event_name"]}`),
    ),
    ...same(
      "cost rows",
      costs.map(({ seq }) => seq),
      calls.map(({ seq }) => seq),
    ),
    ...(near(paid + before, total_cost_usd) ? [] : [`costs of ${paid + before} and a total of ${total_cost_usd}`]),
  ]
}

export interface Verdict {
  readonly problems: ReadonlyArray<string>
  readonly hookRows: number
  readonly usd: number
  readonly events: number
}

/** Waits until D1 has the session, then compares everything with its log. */
export const verify = async (
  perch: PerchClient,
  state: string,
  job: Job,
  counter: Counter,
  limitMs: number,
): Promise<Verdict> => {
  const info = await settled(perch, job.session, limitMs)
  const events = await perch.events(job.session)
  const problems = [
    ...problemsOfLog(job, events),
    ...(await problemsOfEffects(perch, job, events, counter)),
    ...problemsOfRows(state, job, events, info),
  ]
  return {
    problems: problems.map((problem) => `${job.kind} ${job.session}: ${problem}`),
    hookRows: events.filter(({ name }) => name === "hook:fired").length,
    usd: info.total_cost_usd,
    events: events.length,
  }
}

const TABLES = ["sessions", "messages", "parts", "costs", "turns", "hook_events"] as const

/** Every row of the tables that a rebuild writes, in their order. */
const rowsOf = (state: string): ReadonlyArray<string> =>
  TABLES.flatMap((table) => d1Rows(state, `SELECT * FROM ${table}`).map((row) => `${table} ${JSON.stringify(row)}`))

/** Rebuilds all rows of the root tenant; returns the number of sessions, and the rows that differ afterwards. */
export const rebuildAll = async (perch: PerchClient, state: string) => {
  const before = rowsOf(state)
  let sessions = 0
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { data: ReadonlyArray<unknown>; next_cursor: string | null } = await perch.json(
      "POST",
      "/v1/admin/rebuild",
      { json: { tenant: "root", limit: 50, ...(cursor === "" ? {} : { cursor }) }, limitMs: 120_000 },
    )
    sessions += page.data.length
    cursor = page.next_cursor
  }
  const after = new Set(rowsOf(state))
  const lost = before.filter((row) => !after.has(row))
  return { sessions, rows: before.length, differ: [...lost, ...(after.size === before.length ? [] : ["their number"])] }
}
