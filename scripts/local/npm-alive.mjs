// Returns whether the npm that runs this process is still alive: npm ends without passing its signals on to its shell, and
// nothing passes on a SIGKILL of npm or of the shell.
// Invariant: if in doubt, npm counts as alive.
import { execFileSync } from "node:child_process"
import fs from "node:fs"
import { readStat } from "./processes.mjs"

const HAS_PROC = fs.existsSync("/proc/self/stat")

/** Parent and command of a process; undefined if it has ended or can't be looked up. */
const look = (pid) => {
  try {
    if (HAS_PROC) return readStat(pid)
    const [, parent, command] = /^\s*(\d+)\s+(.*)$/.exec(
      execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" }).trim(),
    )
    return { parent: Number(parent), command }
  } catch {
    return undefined
  }
}

const exists = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Returns a function that checks again at each call. */
export const npmAlive = () => {
  const parent = process.ppid
  const shell = process.platform === "win32" ? undefined : look(parent)
  // If the shell has replaced itself with this process, the parent is npm itself.
  const npm = shell !== undefined && /(^|[/-])(a|ba|da|k|z)?sh$/.test(shell.command) ? shell.parent : undefined
  if (npm === undefined) return () => process.ppid === parent
  // A killed npm that was not reaped yet still exists; its shell has another parent by then.
  if (HAS_PROC) return () => process.ppid === parent && look(parent)?.parent === npm
  return () => process.ppid === parent && exists(npm)
}
