// Receives the path of a lock; resolves to a function that releases it, once no other process of this machine has it.
// Invariant: the operating system releases the lock when the process ends, for whatever reason.
const BUSY = 5
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

/** Resolves to undefined if another connection has the lock for the whole time. The folder of `file` must exist. */
export const lockFile = async (file, withinMs = Infinity) => {
  const database = await open(file)
  if (database === undefined) return () => {}
  const deadline = Date.now() + withinMs
  while (!take(database)) {
    if (Date.now() >= deadline) {
      database.close()
      return undefined
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  holders.add(database)
  return () => {
    holders.delete(database)
    database.close()
  }
}
