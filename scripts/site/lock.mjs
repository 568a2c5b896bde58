// Receives a file's path and a function; calls it while no other process of this machine runs one for the same path.
// Invariant: the lock of a process that has died blocks no other.
import fs from "node:fs"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"

const CHECK_EVERY_MS = 50

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

const take = (file) => {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: "wx" })
    return true
  } catch (error) {
    if (error.code !== "EEXIST") throw error
    return false
  }
}

/** Removes the lock of a process that ended without removing it. */
const breakStale = (file) => {
  const pid = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0
  if (pid > 0 && !isAlive(pid)) fs.rmSync(file, { force: true })
}

export const withLock = async (file, work) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  while (!take(file)) {
    await delay(CHECK_EVERY_MS)
    breakStale(file)
  }
  try {
    return await work()
  } finally {
    fs.rmSync(file, { force: true })
  }
}
