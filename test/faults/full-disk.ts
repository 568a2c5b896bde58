// A server whose state is on a small separate disk, which is filled while sessions work and emptied again. Expected: writes
// fail with storage_full_error, reads still work, and once there is space again everything is finished.
import { execFileSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { PerchClient } from "../support/server/client.ts"
import type { ScriptedApi } from "../support/session/scripted-api.mjs"
import { FaultyServer } from "./faulty-server.ts"
import { type Counter, drive, type Job, makeJob, type World } from "./jobs.ts"
import { verify, wakeAll } from "./verify.ts"

const SIZE = "64m"

/** A separate disk in memory; null if this machine does not allow it. */
const mount = (): string | null => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "none", folder], { stdio: "pipe" })
    return folder
  } catch {
    fs.rmdirSync(folder)
    return null
  }
}

/** Writes until nothing more fits. */
const fill = (file: string): void => {
  const handle = fs.openSync(file, "w")
  try {
    for (const size of [1024 * 1024, 4096, 1]) {
      try {
        for (;;) fs.writeSync(handle, Buffer.alloc(size))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error // fs throws nothing else
      }
    }
  } finally {
    fs.closeSync(handle)
  }
}

export interface FullDisk {
  readonly key: string
  readonly api: ScriptedApi
  readonly counter: Counter
  readonly world: World
  readonly say: (line: string) => void
}

/** Returns what went wrong, also if no disk is available. */
export const fillDisk = async ({ key, api, counter, world, say }: FullDisk): Promise<ReadonlyArray<string>> => {
  const disk = mount()
  if (disk === null) {
    say("DISK FULL NOT TRIED: this machine does not let us mount a small disk")
    return []
  }
  const problems: Array<string> = []
  const server = await FaultyServer.start({ key, apiUrl: api.url, folder: path.join(disk, "state") })
  try {
    const perch = new PerchClient(server)
    const before = [makeJob(world, "write"), makeJob(world, "text")]
    for (const job of before) await drive(perch, job, AbortSignal.timeout(60_000))
    const busy = [makeJob(world, "many"), makeJob(world, "write")]
    const abort = new AbortController()
    const driven = Promise.allSettled(busy.map((job) => drive(perch, job, abort.signal)))
    fill(path.join(disk, "filler"))
    const seen = new Map<string, number>()
    const look = async (method: string, route: string, wanted: (status: number) => boolean, json?: unknown) => {
      const response = await perch.request(method, route, json === undefined ? {} : { json })
      const text = await response.text()
      const type = response.ok ? "ok" : /"type":"(\w+_error)"/.exec(text)?.[1]
      const what = `${method} ${route.replace(/[0-9a-f-]{36}/g, "{id}")} ${response.status} ${type}`
      seen.set(what, (seen.get(what) ?? 0) + 1)
      if (!wanted(response.status)) problems.push(`with a full disk: ${what}`)
    }
    const [known] = before as [Job, Job]
    const reading = (status: number) => status === 200
    // What fits into space that a database file already has is stored; everything else fails with storage_full_error.
    const writing = (status: number) => [200, 201, 202, 507].includes(status)
    const blob = "x".repeat(900_000)
    for (let n = 0; n < 12; n += 1) {
      await look("POST", "/v1/sessions", (status) => status === 507, {})
      await look("PATCH", `/v1/sessions/${known.session}`, writing, { title: `title ${n}`, metadata: { n: String(n) } })
      await look("GET", `/v1/sessions/${known.session}`, reading)
      await look("GET", `/v1/sessions/${known.session}/events?limit=5`, reading)
      await look("GET", `/v1/sessions/${known.session}/messages?limit=5`, reading)
      await look("GET", `/v1/sessions/${known.session}/files`, reading)
      const put = await perch.request("PUT", `/v1/sessions/${known.session}/files/workspace/big-${n}`, {
        body: `${blob}${n}${world.random()}`,
      })
      await put.body?.cancel()
      const what = `PUT file ${put.status}`
      seen.set(what, (seen.get(what) ?? 0) + 1)
      if (!writing(put.status)) problems.push(`with a full disk: ${what}`)
    }
    for (const [what, count] of [...seen].toSorted()) say(`  ${String(count).padStart(4)}  ${what}`)
    fs.rmSync(path.join(disk, "filler"))
    abort.abort()
    await driven
    for (const job of busy) await drive(perch, job, AbortSignal.timeout(120_000))
    const after = makeJob(world, "write")
    await drive(perch, after, AbortSignal.timeout(60_000))
    const jobs = [...before, ...busy, after]
    await wakeAll(server, jobs)
    for (const job of jobs) problems.push(...(await verify(perch, server.state, job, counter, 120_000)).problems)
    say(`with room again ${jobs.length} sessions are whole`)
  } finally {
    await server.dispose()
    execFileSync("umount", [disk], { stdio: "pipe" })
    fs.rmdirSync(disk)
  }
  return problems
}
