// Receives a state folder; keeps other servers out of it while this process runs. Two servers with one state would each run
// the turns and alarms of its sessions.
// Invariant: the operating system releases the lock when the process ends, for whatever reason.
import path from "node:path"

const BUSY = 5
/** A server that was killed may still be ending. */
const WITHIN_MS = 3_000
const EVERY_MS = 50

/** Connections that hold a lock: one that is collected as garbage would release it. */
const holders = new Set()

/** A connection to the file; undefined on a Node without SQLite (before 22.13), where nothing is locked. */
const open = async (file) => {
  try {
    const { DatabaseSync } = await import("node:sqlite")
    return new DatabaseSync(file)
  } catch (error) {
    if (error.code !== "ERR_UNKNOWN_BUILTIN_MODULE") throw error
    return undefined
  }
}

/** True if the lock was taken; false if another connection has it. */
const take = (database) => {
  try {
    database.exec("BEGIN EXCLUSIVE")
    return true
  } catch (error) {
    if (error.errcode !== BUSY) throw error
    return false
  }
}

/** Resolves to a function that releases the lock; rejects if another server has it for the whole time. */
export const lockState = async (state, withinMs = WITHIN_MS) => {
  const database = await open(path.join(state, "v3/server.lock"))
  if (database === undefined) return () => {}
  const deadline = Date.now() + withinMs
  while (!take(database)) {
    if (Date.now() >= deadline) {
      database.close()
      throw new Error(
        `the state folder ${state} is in use by another server: stop it, or choose another folder with --persist-to`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  holders.add(database)
  return () => {
    holders.delete(database)
    database.close()
  }
}
