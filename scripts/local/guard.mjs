// Imported by a process that starts others; ends those that are left when it has ended, for whatever reason. A shell reads
// their ids from a pipe whose other end only this process holds: the pipe closes with the process, even on SIGKILL.
// Invariant: an id is on the shell's list only until its process was seen to end.
import { spawn } from "node:child_process"
import { subscribe } from "node:diagnostics_channel"

/** Reads `+ PID` and `- PID` until its input ends, then kills the listed processes. Signals to the group do not end it. */
const SHELL = `trap '' HUP INT TERM PIPE
list=' '
while read -r sign pid; do
  case $sign in
    +) list="$list$pid " ;;
    -) case $list in *" $pid "*) list="\${list%% $pid *} \${list#* $pid }" ;; esac ;;
  esac
done
for pid in $list; do kill -KILL "$pid" 2>/dev/null; done
exit 0`

const children = new Set()
let shell

/** The process id of the shell, which ends after this process. */
export const guardPid = () => shell?.pid

const send = (line) => shell?.stdin.write(`${line}\n`)

const open = () => {
  // It needs no environment variable; these may contain secrets.
  shell = spawn("/bin/sh", ["-c", SHELL], { env: {}, stdio: ["pipe", "ignore", "ignore"] })
  const own = shell
  // A shell that could not be started, or was killed, accepts no more lines; a killed one is replaced.
  own.once("error", () => (shell = undefined))
  own.stdin.on("error", () => {})
  own.once("exit", () => shell === own && open())
  own.unref()
  own.stdin.unref()
  for (const pid of children) send(`+ ${pid}`)
}

if (process.platform !== "win32") {
  subscribe("child_process", ({ process: child }) => {
    child.once("spawn", () => {
      if (child === shell) return
      children.add(child.pid)
      send(`+ ${child.pid}`)
    })
    child.once("exit", () => {
      if (children.delete(child.pid)) send(`- ${child.pid}`)
    })
  })
  open()
}
