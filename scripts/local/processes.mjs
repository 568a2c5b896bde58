// Receives a process id; returns, and ends, everything that it started.
// Invariant: nothing is killed but descendants of the given process that were seen alive.
import { execFileSync } from "node:child_process"
import fs from "node:fs"

/** [pid, parent pid, command] of every process that we can see. */
const listProcesses = () => {
  if (!fs.existsSync("/proc/self/stat")) {
    const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).trim().split("\n")
    return rows.map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row)).map((m) => [Number(m[1]), Number(m[2]), m[3]])
  }
  const rows = []
  for (const name of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const row = readStat(name)
    if (row) rows.push(row)
  }
  return rows
}

const readStat = (pid) => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1")
    const command = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"))
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return state === "Z" ? undefined : [Number(pid), Number(parent), command]
  } catch (error) {
    // It ended while we looked.
    if (error.code === "ENOENT" || error.code === "ESRCH") return undefined
    throw error
  }
}

/** pid → command of all descendants of `root`. */
export const descendantsOf = (root) => {
  const rows = listProcesses()
  const found = new Map()
  const visit = (parent) => {
    for (const [pid, above, command] of rows) {
      if (above !== parent || found.has(pid)) continue
      found.set(pid, command)
      visit(pid)
    }
  }
  visit(root)
  return found
}

/** Those of `processes` (pid → command) that still run. */
export const stillRunning = (processes) => {
  const rows = new Map(listProcesses().map(([pid, , command]) => [pid, command]))
  return [...processes].filter(([pid, command]) => rows.get(pid) === command).map(([pid]) => pid)
}

/** Sends a signal; a process that has just gone is no error. */
export const sendSignal = (pid, signal) => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (error.code !== "ESRCH") throw error
  }
}
