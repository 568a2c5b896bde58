// nice, nohup, setsid and stdbuf: run a command in another way of the system, which makes no difference in this shell.
// Invariant: the command runs through the shell, with its rules and limits, and its exit code is returned.
import type { Command } from "just-bash/browser"
import { bytes, program, UsageError } from "../program.ts"
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

const runner = ({ name, valued, single, alone }: Runner): Command =>
  program(
    name,
    async (args, context) => {
      let at = 0
      for (; at < args.length; at += 1) {
        const arg = args[at] ?? ""
        if (valued.test(arg)) at += 1
        else if (!single.test(arg)) break
      }
      if (args[at] === "--") at += 1
      const [called, ...words] = args.slice(at)
      if (called === undefined && alone !== null) return bytes(alone)
      if (called === undefined) throw new UsageError("missing operand")
      if (called.startsWith("-")) throw new UsageError(`unrecognized option '${called}'`)
      if (context.execWithInheritedStdin === undefined) throw new UsageError("no command can be run here")
      return context.execWithInheritedStdin(quotedWord(called), {
        cwd: context.cwd,
        args: words,
        ...(context.signal === undefined ? {} : { signal: context.signal }),
      })
    },
    125,
  )

export const RUNNER_PROGRAMS: ReadonlyArray<Command> = RUNNERS.map(runner)
