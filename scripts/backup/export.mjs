// Writes every session of a tenant into a folder, with its limits and a list of its keys (never their secrets).
// Invariant: the files of an unchanged session are left unchanged; those of an erased session are removed. A folder has the
// sessions of one tenant.
import {
  hasSession,
  openSession,
  readSession,
  removeParts,
  removeSession,
  storedSessions,
  writeJson,
} from "./folder.mjs"
import { forEach, Refused } from "./server.mjs"

const TRIES = 5

/** The first page of a session's file; undefined if there is no readable file. */
const storedPage = async (folder, id) => {
  if (!hasSession(folder, id)) return undefined
  try {
    for await (const page of readSession(folder, id)) return page
  } catch {
    // The file is damaged; it is written again.
  }
  return undefined
}

/** The revision of a session's file; undefined if there is none, or if it can't be read to the last page. */
const storedRevision = async (folder, id) => {
  if (!hasSession(folder, id)) return undefined
  let last
  try {
    for await (const page of readSession(folder, id)) last = page
  } catch {
    // The file is damaged, so it is written again.
    return undefined
  }
  return last?.next_cursor === null ? last.revision : undefined
}

/** The tenant of the sessions in the folder; undefined if it has none. */
const storedTenant = async (folder) => {
  for (const id of storedSessions(folder)) {
    const page = await storedPage(folder, id)
    if (page !== undefined) return page.tenant
  }
  return undefined
}

/** The tenant of the key; undefined if it has no session. */
const tenantOfKey = async (server) => {
  for await (const { id, erased_at } of server.sessions()) {
    if (erased_at !== null) continue
    try {
      for await (const page of server.pages(id)) return page.tenant
    } catch (error) {
      // It was erased since it was listed, or it is counted and was never created.
      if (!(error instanceof Refused && error.status === 404)) throw error
    }
  }
  return undefined
}

/** Rejects a folder with another tenant's sessions: a restore of it would mix the two. */
const checkTenant = async (server, folder) => {
  const stored = await storedTenant(folder)
  if (stored === undefined) return
  const tenant = server.tenant ?? (await tenantOfKey(server))
  if (tenant !== undefined && tenant !== stored)
    throw new Error(`${folder} has the backup of tenant ${stored}: use another folder for tenant ${tenant}`)
}

/** Writes one session; returns its size in bytes, or null if it has not changed (`stored` is its file's revision), and its events. */
const exportSession = async (server, folder, id) => {
  const stored = await storedRevision(folder, id)
  for (let tries = 1; ; tries += 1) {
    const file = openSession(folder, id)
    try {
      return await writePages(server.pages(id), file, stored)
    } catch (error) {
      file.drop()
      // The session changed while it was read.
      if (!(error instanceof Refused && error.status === 409 && tries < TRIES)) throw error
    }
  }
}

const writePages = async (pages, file, stored) => {
  let events = 0
  for await (const page of pages) {
    if (page.revision === stored) {
      file.drop()
      return { bytes: null, events: page.through }
    }
    file.write(page)
    events = page.through
  }
  return { bytes: file.keep(), events }
}

export const exportTenant = async ({ server, folder, only, concurrency }) => {
  await checkTenant(server, folder)
  removeParts(folder)
  const report = { sessions: 0, unchanged: 0, erased: 0, events: 0, bytes: 0 }
  const erased = []
  const missing = new Set(only)
  const failed = await forEach(server.sessions(), concurrency, async ({ id, erased_at }) => {
    if (only !== undefined && !missing.delete(id)) return
    if (erased_at !== null) {
      erased.push({ id, erased_at })
      removeSession(folder, id)
      report.erased += 1
      return
    }
    try {
      const { bytes, events } = await exportSession(server, folder, id)
      report.sessions += 1
      report.events += events
      if (bytes === null) report.unchanged += 1
      else report.bytes += bytes
    } catch (error) {
      // It was erased since it was listed, or it is counted and was never created.
      if (!(error instanceof Refused && error.status === 404)) throw error
    }
  })
  if (only === undefined) {
    writeJson(
      folder,
      "erased.json",
      erased.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    )
    writeJson(folder, "keys.json", await keysOf(server))
    if (server.tenant !== undefined) {
      const limits = await server.call("GET", `/v1/admin/tenants/${server.tenant}/limits`)
      writeJson(folder, "limits.json", limits.own)
    }
  }
  const unknown = [...missing].map((id) => ({ id, message: "the tenant has no session with this id" }))
  return { ...report, failed: [...failed, ...unknown] }
}

const keysOf = async (server) => {
  const keys = []
  for (let cursor; ;) {
    const page = await server.call("GET", "/v1/admin/keys", { tenant: server.tenant, cursor })
    keys.push(...page.data)
    if (page.next_cursor === null) return keys
    cursor = page.next_cursor
  }
}
