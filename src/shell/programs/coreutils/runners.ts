// Programs that run a command: timeout, which ends it when its time is over, and nice, nohup, setsid and stdbuf, whose options have
// no effect in this shell.
// Invariant: the shell runs the command with its rules and limits, and what the command has printed is returned.
import type { Command, ExecResult } from "just-bash/browser"
import { ownValue } from "../../../schemas/own-value.ts"
import { numberOf } from "../../compat/builtins/jobs.ts"
import { bytes, type Context, program, readOptions, UsageError } from "../program.ts"
import { quotedWord } from "../../syntax/quoted-word.ts"

interface Runner {
  readonly name: string
  /** Options before the command: with a value in the next word, and complete in one word. */
  readonly valued: RegExp
  readonly single: RegExp
  /** What is printed without a command; null if that is an error. */
  readonly alone: string | null
}

const RUNNERS: ReadonlyArray<Runner> = [
  { name: "nice", valued: /^(?:-n|--adjustment)$/, single: /^(?:-n?-?\d+|--adjustment=-?\d+)$/, alone: "0\n" },
  { name: "nohup", valued: /^$/, single: /^$/, alone: null },
  { name: "setsid", valued: /^$/, single: /^-[cfw]+$|^--(?:ctty|fork|wait)$/, alone: null },
  { name: "stdbuf", valued: /^-[ioe]$/, single: /^-[ioe].+$|^--(?:input|output|error)=.+$/, alone: null },
]

/** The index of the first word that is no option. */
const operandIn = (args: ReadonlyArray<string>, valued: RegExp, single: RegExp): number => {
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (valued.test(arg)) at += 1
    else if (!single.test(arg)) break
  }
  return at
}

const called = async (
  [name, ...args]: ReadonlyArray<string>,
  { cwd, execWithInheritedStdin }: Context,
  signal: AbortSignal | undefined,
): Promise<ExecResult> => {
  if (name === undefined) throw new UsageError("missing operand")
  if (name.startsWith("-")) throw new UsageError(`unrecognized option '${name}'`)
  if (execWithInheritedStdin === undefined) throw new UsageError("no command can be run here")
  return execWithInheritedStdin(quotedWord(name), { cwd, args, ...(signal === undefined ? {} : { signal }) })
}

const runner = ({ name, valued, single, alone }: Runner): Command =>
  program(
    name,
    async (args, context) => {
      const at = operandIn(args, valued, single)
      const words = args.slice(args[at] === "--" ? at + 1 : at)
      return words.length === 0 && alone !== null ? bytes(alone) : called(words, context, context.signal)
    },
    125,
  )

const SECONDS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 }
/** The longest delay of a timer, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1
const TIMED_OUT = 124
const KILL = 9

const TIMEOUT_OPTIONS = {
  flags: "v",
  values: "sk",
  long: {
    foreground: "v",
    verbose: "v",
    "preserve-status": "keep",
    signal: "s=",
    "kill-after": "k=",
  },
}

const delayOf = (text: string): number => {
  const [, number, unit = ""] = /^(\d+\.?\d*|\.\d+)(\w?)$/.exec(text) ?? []
  const seconds = ownValue(SECONDS, unit)
  if (number === undefined || seconds === undefined) throw new UsageError(`invalid time interval '${text}'`)
  return Math.min(Number(number) * seconds * 1000, MAX_DELAY)
}

const timeout = program(
  "timeout",
  async (args, context) => {
    const at = operandIn(args, /^(?:-[sk]|--signal|--kill-after)$/, /^-[^-]|^--./)
    const options = readOptions(args.slice(0, at), TIMEOUT_OPTIONS)
    const [limit, ...words] = args.slice(args[at] === "--" ? at + 1 : at)
    if (limit === undefined || words.length === 0) throw new UsageError("missing operand")
    const delay = delayOf(limit)
    const sent = options.value("s") ?? "TERM"
    const number = numberOf(sent)
    if (number === null) throw new UsageError(`${sent}: invalid signal`)
    const late = new AbortController()
    const timer = delay === 0 ? undefined : setTimeout(() => late.abort(number), delay)
    try {
      const result = await called(words, context, late.signal)
      if (!late.signal.aborted) return result
      return { ...result, exitCode: options.has("keep") || number === KILL ? 128 + number : TIMED_OUT }
    } finally {
      clearTimeout(timer)
    }
  },
  125,
)

export const RUNNER_PROGRAMS: ReadonlyArray<Command> = [...RUNNERS.map(runner), timeout]
