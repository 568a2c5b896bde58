// Receives the command line of the SDK's process; returns the draft of the session that it asks for.
// Invariant: every argument is accounted for; one that is unknown or refused is a LaunchError that names it. As the
// official process: a flag with an empty value is skipped, unless the flag needs a value or gives an empty one a meaning.
import { type Draft, emptyDraft } from "./draft.ts"
import { FLAGS } from "./flags.ts"
import { LaunchError } from "./launch-error.ts"

/** `--name value` and `--name=value` mean the same. */
export const readArguments = (args: ReadonlyArray<string>, cwd: string): Draft => {
  const draft = emptyDraft(cwd)
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const equals = arg.indexOf("=")
    const name = equals < 0 ? arg : arg.slice(0, equals)
    const attached = equals < 0 ? undefined : arg.slice(equals + 1)
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined
    if (flag === undefined) throw unknownArgument(name)
    const isEmpty = (attached ?? rest[0]) === ""
    if (isEmpty && attached === undefined) rest.shift()
    if (flag.kind === "refused") {
      if (isEmpty) continue
      throw new LaunchError(`options.${flag.option} ${flag.why} (${name})`)
    }
    if (flag.value === "none") {
      if (attached !== undefined) throw new LaunchError(`${name} takes no value`)
      if (flag.kind === "carried") flag.take(draft, "")
      continue
    }
    if (isEmpty) {
      if (flag.kind === "carried" && EMPTY_IS_WRONG.has(name)) throw new LaunchError(`${name} needs a value`)
      if (flag.kind === "carried" && EMPTY_MEANS_NONE.has(name)) flag.take(draft, "")
      continue
    }
    const value = attached ?? (flag.value === "one" || isValue(rest[0]) ? rest.shift() : "")
    if (value === undefined) throw new LaunchError(`${name} needs a value`)
    if (flag.kind === "carried") flag.take(draft, value)
  }
  return draft
}

const EMPTY_IS_WRONG: ReadonlySet<string> = new Set([
  "--resume",
  "--max-budget-usd",
  "--permission-mode",
  "--permission-prompts",
  "--thinking",
  "--thinking-display",
])

const EMPTY_MEANS_NONE: ReadonlySet<string> = new Set(["--system-prompt", "--tools"])

const isValue = (arg: string | undefined): boolean => arg !== undefined && !arg.startsWith("-")

const unknownArgument = (name: string): LaunchError =>
  new LaunchError(
    name.startsWith("-")
      ? `Perch does not know the flag ${name} (options.extraArgs, options.executableArgs)`
      : `Perch does not know the argument ${JSON.stringify(name)}: options.pathToClaudeCodeExecutable must be "perch"`,
  )
