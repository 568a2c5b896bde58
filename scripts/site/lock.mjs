// Receives a file's path and a function; calls it while no other process of this machine runs one for the same path.
// Invariant: the lock of a process that has died blocks no other.
import fs from "node:fs"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"

const CHECK_EVERY_MS = 50
/** The work takes seconds: a lock that is older is not held. */
const LONGEST_MS = 300_000

/** The locks of this process. */
const held = new Set()

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

const take = (file) => {
  let descriptor
  try {
    descriptor = fs.openSync(file, "wx")
  } catch (error) {
    if (error.code !== "EEXIST") throw error
    return false
  }
  try {
    fs.writeSync(descriptor, String(process.pid))
  } catch (error) {
    // A full disk: without a process's id, the lock would count as just being written.
    fs.rmSync(file, { force: true })
    throw error
  } finally {
    fs.closeSync(descriptor)
  }
  return true
}

/** The process that has the lock and since when; undefined if there is no lock. */
const holderOf = (file) => {
  try {
    return { pid: Number(fs.readFileSync(file, "utf8")), since: fs.statSync(file).mtimeMs }
  } catch (error) {
    if (error.code !== "ENOENT") throw error
    return undefined
  }
}

/** Removes the lock of a process that ended without removing it. After a restart, another process may have its id, or this one. */
const breakStale = (file) => {
  const holder = holderOf(file)
  if (holder === undefined) return
  const { pid, since } = holder
  const ended = pid === process.pid ? !held.has(file) : pid > 0 && !isAlive(pid)
  if (ended || Date.now() - since > LONGEST_MS) fs.rmSync(file, { force: true })
}

export const withLock = async (file, work) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  while (!take(file)) {
    await delay(CHECK_EVERY_MS)
    breakStale(file)
  }
  held.add(file)
  try {
    return await work()
  } finally {
    held.delete(file)
    fs.rmSync(file, { force: true })
  }
}
