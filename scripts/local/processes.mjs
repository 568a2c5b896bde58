// Receives a process id; lists and ends everything that it started.
// Invariant: only descendants of the given process that were seen alive are killed.
import { execFileSync } from "node:child_process"
import fs from "node:fs"

/** Every visible process that has not ended. */
export const listProcesses = () => {
  if (!fs.existsSync("/proc/self/stat")) {
    const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,comm="], { encoding: "utf8" })
      .trim()
      .split("\n")
    return rows
      .map((row) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row))
      .filter((row) => row !== null && !row[4].startsWith("Z"))
      .map(([, pid, parent, group, , command]) => ({ pid: +pid, parent: +parent, group: +group, command }))
  }
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((row) => row !== undefined)
}

/** A process by Linux's `/proc`; undefined if it has ended. */
export const readStat = (pid) => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1")
    const command = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"))
    const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return state === "Z" ? undefined : { pid: Number(pid), parent: Number(parent), group: Number(group), command }
  } catch (error) {
    // It ended meanwhile.
    if (error.code === "ENOENT" || error.code === "ESRCH") return undefined
    throw error
  }
}

/** pid → command of all descendants of `root`. */
export const descendantsOf = (root) => {
  const rows = listProcesses()
  const found = new Map()
  const visit = (above) => {
    for (const { pid, parent, command } of rows) {
      if (parent !== above || found.has(pid)) continue
      found.set(pid, command)
      visit(pid)
    }
  }
  visit(root)
  return found
}

/** Those of `processes` (pid → command) that still run. */
export const stillRunning = (processes) => {
  const rows = new Map(listProcesses().map(({ pid, command }) => [pid, command]))
  return [...processes].filter(([pid, command]) => rows.get(pid) === command).map(([pid]) => pid)
}

/** Sends a signal; a process that has just ended is no error. */
export const sendSignal = (pid, signal) => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (error.code !== "ESRCH") throw error
  }
}
