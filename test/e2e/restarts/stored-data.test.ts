// Upgrade and backup: today's version reads, continues and backs up what an earlier version stored, and an empty server
// restores the backup and replaces it. Nothing is answered before the stored database has all migrations. The tests of a stored
// version depend on each other.
import { execFile } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { claimPort } from "../../../scripts/local/port.mjs"
import { ApiLog, toolResults } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { type PerchServer, startServer } from "../../support/server/server.ts"
import { SHARED_BACKUP_KEY } from "../../support/server/shared-server.ts"
import { type StoredData, storedVersions, unpack } from "../../support/server/stored-data.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const run = promisify(execFile)

interface Report {
  readonly sessions: number
  readonly failed: number
  readonly [name: string]: number | string
}

/** Runs the script as an operator does; its report is the last line. */
const backup = async (server: { url: string; key: string }, ...args: ReadonlyArray<string>): Promise<Report> => {
  const env = { ...process.env, PERCH_KEY: server.key }
  const ran = await run(process.execPath, ["scripts/backup.mjs", ...args, "--url", server.url], {
    cwd: ROOT,
    env,
  }).catch((error: { stdout: string; stderr: string }) => error)
  const report = ran.stdout.trim().split("\n").at(-1) ?? ""
  if (report === "") throw new Error(ran.stderr)
  return { ...(JSON.parse(report) as Report), stderr: ran.stderr } // the script printed it
}

/** Starts a server; also whether its database had all migrations at its first answer. */
const startObserved = async (state: string, env: Readonly<Record<string, string>>) => {
  const port = await claimPort(0, "127.0.0.1")
  const starting = startServer({ persistTo: state, env, port })
  let started = false
  void starting.finally(() => (started = true)).catch(() => undefined) // awaited below
  let migratedFirst: boolean | undefined
  while (!started && migratedFirst === undefined) {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined) // it does not listen yet
    if (response?.ok === true) migratedFirst = fs.existsSync(path.join(state, "v3/migrated.json"))
    else await delay(5)
  }
  return { server: await starting, migratedFirst }
}

describe.each(storedVersions())("stored data of %s", (version) => {
  let server: PerchServer
  let perch: PerchClient
  let data: StoredData
  let state = ""
  let out = ""
  const tenant = `stored-${version}`
  const shared = inject("shared")
  let restored: PerchClient
  let migratedFirst: boolean | undefined

  beforeAll(async () => {
    ;({ state, data } = unpack(version))
    out = fs.mkdtempSync(path.join(os.tmpdir(), "perch-backup-"))
    const env = { PERCH_ROOT_KEY: data.root_key, PERCH_BACKUP_KEY: SHARED_BACKUP_KEY }
    ;({ server, migratedFirst } = await startObserved(state, env))
    perch = new PerchClient({ url: server.url, key: data.key })
    const root = new PerchClient(shared)
    const scopes = ["sessions:read", "sessions:write", "answer", "files", "bypass", "admin"]
    const made = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant, scopes }, status: 201 })
    restored = root.withKey(made.key)
  })

  afterAll(async () => {
    await server?.dispose()
    for (const folder of [state, out]) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  const expectWhole = async (client: PerchClient) => {
    for (const [label, stored] of Object.entries(data.sessions)) {
      const events = (await client.events(stored.id)).map(({ seq, name, uuid, turn, at }) => [
        seq,
        name,
        uuid,
        turn,
        at,
      ])
      expect(events.slice(0, stored.events.length), label).toEqual(stored.events)
      const info = await client.json("GET", `/v1/sessions/${stored.id}`)
      expect(info, label).toMatchObject({ title: stored.title, metadata: stored.metadata, options: stored.options })
      const { files } = await client.json<{ files: StoredData["sessions"]["work"]["files"] }>(
        "GET",
        `/v1/sessions/${stored.id}/files?limit=1000`,
      )
      const kept = files.map(({ path: name, size, type }) => ({ path: name, size, type }))
      expect(kept, label).toEqual(expect.arrayContaining([...stored.files]))
      if (label !== "cut") {
        const cost = await client.json<{ total_cost_usd: number }>("GET", `/v1/sessions/${stored.id}/cost`)
        expect(cost.total_cost_usd, label).toBe(stored.total_cost_usd)
      }
    }
  }

  it("is migrated before a client that waits for the server is answered", () => {
    expect(migratedFirst).toBe(true)
  })

  it("is read as it was written, and its keys are accepted", async () => {
    await expectWhole(perch)
    const { data: listed } = await perch.json<{ data: ReadonlyArray<{ id: string }> }>("GET", "/v1/sessions?limit=100")
    const ids = listed.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([data.sessions.work.id, data.sessions.history.id]))
    expect(ids).not.toContain(data.erased)
    expect((await perch.request("GET", `/v1/sessions/${data.erased}`)).status).toBe(404)
    expect(await perch.json("GET", "/v1/admin/tenants/acme/limits")).toMatchObject({
      own: { requests_per_minute: 50_000 },
    })
  })

  it("an interrupted turn continues by itself", async () => {
    const { cut } = data.sessions
    const events = await perch.eventsUntilResults(cut.id, 1)
    expect(events.findLast(({ name }) => name.startsWith("sdk:result"))?.name).toBe("sdk:result/success")
    // The server's output is piped, and arrives after the event.
    const line = await eventually(async () =>
      server
        .output()
        .split("\n")
        .find((one) => one.includes('"message":"turn"') && one.includes(cut.id)),
    )
    expect(JSON.parse(line)).toMatchObject({ tenant: data.tenant, outcome: "success", steps: 3, requests: 3 })
    expect(line).not.toContain("slept")
    expect(await perch.getFile(cut.id, "/workspace/before.txt")).toBe("kept")
    expect(await perch.getFile(cut.id, "/workspace/after.txt")).toBe("slept\n")
  })

  it("is backed up, with sealed secrets and files closed to others, and again only where it changed", async () => {
    const first = await backup({ url: server.url, key: data.root_key }, "export", "--tenant", data.tenant, "--out", out)
    expect(first).toMatchObject({ sessions: 7, erased: 1, failed: 0, unchanged: 0 })
    expect(Number(first["bytes"])).toBeGreaterThan(10_000)
    const modes = fs
      .readdirSync(path.join(out, "sessions"))
      .map((name) => fs.statSync(path.join(out, "sessions", name)).mode)
    expect([...new Set(modes.map((mode) => mode & 0o777))]).toEqual([0o600])
    const all = fs.readFileSync(path.join(out, "keys.json"), "utf8")
    expect(all).toContain("reader")
    expect(all).not.toContain("hash")
    const { stdout } = await run("sh", ["-c", `zcat ${path.join(out, "sessions")}/*.gz`], { maxBuffer: 1 << 28 })
    // The headers of an HTTP hook are the owner's secret.
    expect(/x-token\W+stored/.test(stdout)).toBe(false)
    const second = await backup(
      { url: server.url, key: data.root_key },
      "export",
      "--tenant",
      data.tenant,
      "--out",
      out,
    )
    expect(second).toMatchObject({ sessions: 7, unchanged: 7, bytes: 0, failed: 0 })
  })

  it("is restored into a server that does not have it, and is equal there", async () => {
    const root = { url: shared.url, key: shared.key }
    const report = await backup(root, "restore", "--tenant", tenant, "--in", out)
    expect(report).toMatchObject({ sessions: 7, erased: 0, failed: 0 })
    expect(await backup(root, "compare", "--tenant", tenant, "--in", out)).toMatchObject({
      sessions: 7,
      equal: 7,
      failed: 0,
    })
    await expectWhole(restored)
    const again = await backup(root, "restore", "--tenant", tenant, "--in", out)
    expect(again).toMatchObject({ sessions: 0, failed: 7 })
    expect(again["stderr"]).toContain("exists")
    expect(await backup(root, "restore", "--skip-existing", "--tenant", tenant, "--in", out)).toMatchObject({
      existing: 7,
      failed: 0,
    })
  })

  it("has the same rows in D1 after the restore: sessions, costs, hook events", async () => {
    const rows = async (client: PerchClient) => {
      const { data: sessions } = await client.json<{ data: ReadonlyArray<Record<string, unknown>> }>(
        "GET",
        "/v1/sessions?limit=100",
      )
      const costs = await client.json<{ data: ReadonlyArray<object>; total_usd: number }>("GET", "/v1/costs")
      const hooks = await client.json<{ data: ReadonlyArray<{ id: string }> }>("GET", "/v1/hook-events?limit=1000")
      return {
        sessions: sessions.map(({ id, title, state: now, turns }) => [id, title, now, turns].join(" ")).toSorted(),
        costs: costs.data,
        hooks: hooks.data.map(({ id }) => id).toSorted(),
      }
    }
    // D1 has the last facts of either server some seconds after their events.
    const both = () => Promise.all([rows(perch), rows(restored)])
    const wanted = await eventually(async () => {
      const [original, found] = await both()
      return JSON.stringify(found) === JSON.stringify(original) ? original : undefined
    }, 40_000).catch(async () => {
      const [original, found] = await both()
      expect(found).toEqual(original)
      return original
    })
    expect(wanted.sessions.length).toBe(7)
    expect(wanted.hooks.length).toBeGreaterThan(20)
  })

  it.each(["upgraded", "restored"])("the server that was %s continues every session", async (how) => {
    const client = how === "upgraded" ? perch : restored
    const { work, moved, history, question, fork } = data.sessions
    // The shared server calls the scripted API: the request shows what the session knows of its past.
    const script = scriptName("stored")
    const api = new ApiLog(shared.apiUrl)
    await api.set(script, [textAnswer("I know")])
    const done = await client.query(work.id, how === "upgraded" ? "Read notes.txt" : promptFor(script))
    expect(done.at(-1)).toMatchObject({ type: "result", subtype: "success" })
    if (how === "upgraded") expect(done.at(-1)?.result).toContain("beta one")
    else {
      const [request] = await api.requests(script)
      expect(JSON.stringify(request?.body.messages)).toContain("Replace alpha with beta in notes.txt")
      expect(toolResults(request!).length).toBeGreaterThan(5)
    }
    for (const { id } of [moved, history, fork]) {
      expect((await client.query(id, "List the files")).at(-1)).toMatchObject({ subtype: "success" })
    }
    const numbers = Array.from({ length: 50 }, (_, at) => `${at + 1}\n`).join("")
    expect(await client.getFile(work.id, "/workspace/src/numbers.txt")).toBe(numbers)
    const [ask] = await client.asks(question.id)
    expect(ask).toMatchObject({ kind: "permission", tool_name: "Write" })
    await client.answer(question.id, ask!.request_id, { behavior: "allow" })
    const events = await client.eventsUntilResults(question.id, 2)
    expect(events.filter(({ name }) => name === "sdk:result/success").length).toBe(2)
    expect(await client.getFile(question.id, "/workspace/plan.txt")).toBe("ask me first")
  })
})
