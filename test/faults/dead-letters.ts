// A queue that gives up: the Worker's D1 is down for longer than the queue retries, while sessions still reach theirs.
// Expected: the messages become dead letters, these are stored, and they disappear once the session has sent its rows again.
import { PerchClient } from "../support/server/client.ts"
import { eventually } from "../support/server/client.ts"
import { d1Rows } from "../support/server/local-d1.ts"
import { FaultyServer } from "./faulty-server.ts"
import { drive, makeJob } from "./jobs.ts"
import type { FullDisk } from "./full-disk.ts"
import { verify, wakeAll } from "./verify.ts"

const NOT_STORED = "hook events were not stored"

export const buryHooks = async ({ key, api, counter, world, say }: FullDisk): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  const server = await FaultyServer.start({ key, apiUrl: api.url, maxRetries: 1 })
  const printed = (text: string, times: number) =>
    eventually(async () => (server.printed.split(text).length > times ? true : undefined), 60_000)
  const count = (table: string, session: string) =>
    d1Rows(server.state, `SELECT seq FROM ${table} WHERE session_id = ?`, session).length
  try {
    const perch = new PerchClient(server)
    await server.set({ d1: "worker" })
    const job = makeJob(world, "write")
    await drive(perch, job, AbortSignal.timeout(60_000))
    await printed(NOT_STORED, 2)
    await server.set({ d1: false })
    const buried = await eventually(async () => count("hook_dead_letters", job.session) || undefined, 30_000)
    say(`${buried} messages were given up after one retry and are dead letters`)
    if (count("hook_events", job.session) > 0) problems.push("a message that was given up is stored")
    await wakeAll(server, [job])
    problems.push(...(await verify(perch, server.state, job, counter, 120_000)).problems)
    const left = count("hook_dead_letters", job.session)
    say(`the session sent them again: ${count("hook_events", job.session)} rows, ${left} dead letters`)
    if (left > 0) problems.push(`${left} dead letters are left`)
  } finally {
    await server.dispose()
  }
  return problems
}
