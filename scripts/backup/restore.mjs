// Creates the sessions of a backup in a server that does not have them, and sets the tenant's limits.
// Invariant: an id that the server has, or had, is never overwritten; an interrupted restore continues where it stopped.
import { chosenSessions, readJson, readSession } from "./folder.mjs"
import { forEach, Refused } from "./server.mjs"

const restoreSession = async (server, folder, id) => {
  let next = 0
  let last
  for await (const page of readSession(folder, id)) {
    // Pages that an earlier run sent are already there.
    if (page.page < next) continue
    last = await server.restore(page)
    next = last.next_page
  }
  if (last?.complete !== true) throw new Error("the file ends before the session's last page: export it again")
  return last
}

/** The ids that are marked as erased in the backup, or in the one that `--skip-erased` names. */
const erasedIn = (folder, other) => {
  const own = readJson(folder, "erased.json") ?? []
  const others = other === undefined ? [] : readJson(other, "erased.json")
  // Without the list, erased sessions would be restored.
  if (others === undefined)
    throw new Error(`--skip-erased ${other} has no erased.json, which an export of all sessions writes`)
  return new Set([...own, ...others].map(({ id }) => id))
}

export const restoreTenant = async ({ server, folder, only, skipErased, skipExisting, concurrency }) => {
  const gone = erasedIn(folder, skipErased)
  const { ids, missing } = chosenSessions(folder, only)
  const report = { sessions: 0, existing: 0, erased: 0, events: 0, files: 0 }
  const failed = await forEach(
    ids.map((id) => ({ id })),
    concurrency,
    async ({ id }) => {
      if (gone.has(id)) {
        report.erased += 1
        return
      }
      try {
        const { events, files } = await restoreSession(server, folder, id)
        report.sessions += 1
        report.events += events
        report.files += files
      } catch (error) {
        if (!(skipExisting && error instanceof Refused && /exists/.test(error.message))) throw error
        report.existing += 1
      }
    },
  )
  await restoreLimits(server, folder)
  const keys = readJson(folder, "keys.json") ?? []
  return {
    ...report,
    keys_to_make_anew: keys.filter(({ revoked_at }) => revoked_at == null).length,
    failed: [...failed, ...missing],
  }
}

/** Only the root key may set limits; for other keys an administrator has to set them. */
const restoreLimits = async (server, folder) => {
  const limits = readJson(folder, "limits.json")
  if (limits === undefined || server.tenant === undefined || Object.keys(limits).length === 0) return
  try {
    await server.call("PUT", `/v1/admin/tenants/${server.tenant}/limits`, {}, JSON.stringify(limits))
  } catch (error) {
    if (!(error instanceof Refused && error.status === 403)) throw error
    console.error("backup: the limits in limits.json were not set: only the root key may set them")
  }
}
