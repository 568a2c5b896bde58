// `kill`, `jobs` and `disown`. A command with `&` handles a signal when it can continue; then its handler runs, or it ends.
// Invariant: `kill` of a command that has ended is an error, as in bash.
import { jobAt, type OwnedState, ownJobs, signalled } from "../job-table.ts"
import type { Threads } from "../threads.ts"
import type { BuiltinResult } from "./builtins.ts"

const NAMES =
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ".split(
    " ",
  )

/** The number of a signal that is given by number or name; null for an unknown one. */
export const numberOf = (signal: string): number | null => {
  if (/^\d+$/.test(signal)) return Number(signal) <= 64 ? Number(signal) : null
  const name = signal.toUpperCase().replace(/^SIG/, "")
  return name === "EXIT" ? 0 : NAMES.includes(name) ? NAMES.indexOf(name) + 1 : null
}

/** The name of a signal without `SIG`. */
export const signalName = (number: number): string => NAMES[number - 1] ?? ""

const result = (stdout: string, stderr = "", exitCode = 0): BuiltinResult => ({ stdout, stderr, exitCode })

const listed = (signals: ReadonlyArray<string>): BuiltinResult => {
  if (signals.length === 0) return result(`${NAMES.map((name, at) => `${at + 1}) SIG${name}`).join("\n")}\n`)
  const [signal = ""] = signals
  // Exit codes of signals are accepted, too.
  const number = numberOf(/^\d+$/.test(signal) && Number(signal) > 128 ? String(Number(signal) - 128) : signal)
  if (number === null) return result("", `bash: kill: ${signal}: invalid signal specification\n`, 1)
  return result(`${/^\d+$/.test(signal) ? (NAMES[number - 1] ?? "EXIT") : number}\n`)
}

interface Wanted {
  readonly signal: string
  readonly targets: ReadonlyArray<string>
}

const wantedOf = (args: ReadonlyArray<string>): Wanted => {
  const [first = "", second = "", ...rest] = args
  if (first === "-s" || first === "-n") return { signal: second, targets: rest[0] === "--" ? rest.slice(1) : rest }
  const isSignal = /^-[A-Za-z0-9]+$/.test(first)
  const targets = isSignal ? args.slice(1) : args
  return { signal: isSignal ? first.slice(1) : "TERM", targets: targets[0] === "--" ? targets.slice(1) : targets }
}

/** The fields of the interpreter's state that are read here. */
export interface JobState extends OwnedState {
  /** The process id of the shell, `$$`. */
  readonly virtualPid: number
}

interface Handlers {
  readonly threads: Threads
  readonly handlerOf: (signal: string) => string | undefined
}

const IGNORED: ReadonlySet<string> = new Set(["CHLD", "CONT", "URG"])

/** The command that a signal runs: its handler, or the end of the shell. */
export const answerOf = (
  number: number,
  session: Pick<Handlers, "handlerOf"> | undefined,
): [name: string, args: Array<string>] => {
  const name = signalName(number)
  const handler = name === "KILL" ? undefined : session?.handlerOf(name)
  if (handler !== undefined) return ["eval", [handler]]
  return IGNORED.has(name) ? [":", []] : ["exit", [String(128 + number)]]
}

/**
 * The command that a signal to the shell itself runs (`kill -TERM $$`): its handler, or the end of the shell. Null if the call
 * signals nothing, or another process.
 */
export const answerTo = (
  state: JobState,
  args: ReadonlyArray<string>,
  session: Handlers | undefined,
): [name: string, args: Array<string>] | null => {
  const { signal, targets } = wantedOf(args)
  const number = numberOf(signal)
  if (number === null || number === 0 || targets.length !== 1 || targets[0] !== String(state.virtualPid)) return null
  const { current, script } = session?.threads ?? {}
  // A command with `&` signals its script.
  if (script === undefined || current?.shell !== state) return answerOf(number, session)
  script.signal = number
  script.wake()
  return [":", []]
}

export const killed = (state: JobState, args: ReadonlyArray<string>): BuiltinResult => {
  if (args[0] === "-l" || args[0] === "-L") return listed(args.slice(1))
  const { signal, targets } = wantedOf(args)
  if (targets.length === 0)
    return result("", "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ...\n", 2)
  const number = numberOf(signal)
  if (number === null) return result("", `bash: kill: ${signal}: invalid signal specification\n`, 1)
  let [stderr, exitCode] = ["", 0]
  for (const target of targets) {
    // The process group contains only the shell.
    if (target === String(state.virtualPid) || target === "0" || signalled(state, target, number)) continue
    exitCode = 1
    if (target.startsWith("%")) stderr += `bash: kill: ${target}: no such job\n`
    else if (/^-?\d+$/.test(target)) stderr += `bash: kill: (${target}) - No such process\n`
    else stderr += `bash: kill: ${target}: arguments must be process or job IDs\n`
  }
  return result("", stderr, exitCode)
}

/** Lists the commands that are running, or with `-p` their ids. */
export const jobs = (state: JobState, args: ReadonlyArray<string>): BuiltinResult => {
  const [job] = args.filter((arg) => !arg.startsWith("-"))
  if (job !== undefined && jobAt(state, job) === undefined) return result("", `bash: jobs: ${job}: no such job\n`, 1)
  const all = ownJobs(state)
  const running = all.filter(({ thread }) => thread.code === null)
  const lines = running.map((one, at) => {
    if (args.includes("-p")) return one.id
    const place = `[${all.indexOf(one) + 1}]${["+", "-"][running.length - 1 - at] ?? " "}`
    return `${place}  Running                 ${one.text}`
  })
  return result(lines.map((line) => `${line}\n`).join(""))
}

export const disowned = (): BuiltinResult => result("")
