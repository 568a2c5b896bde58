// Receives the command line of the SDK's process; returns the draft of the session that it asks for.
// Invariant: every argument is accounted for; one that is unknown or refused is a LaunchError that names it.
import { type Draft, emptyDraft } from "./draft.ts"
import { FLAGS } from "./flags.ts"
import { LaunchError } from "./launch-error.ts"

/** `--name value` and `--name=value` mean the same. */
export const readArguments = (args: ReadonlyArray<string>): Draft => {
  const draft = emptyDraft()
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const equals = arg.indexOf("=")
    const name = equals < 0 ? arg : arg.slice(0, equals)
    const attached = equals < 0 ? undefined : arg.slice(equals + 1)
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined
    if (flag === undefined) throw unknownArgument(name)
    if (flag.kind === "refused") throw new LaunchError(`options.${flag.option} ${flag.why} (${name})`)
    if (flag.value === "none") {
      if (attached !== undefined) throw new LaunchError(`${name} takes no value`)
      if (flag.kind === "carried") flag.take(draft, "")
      continue
    }
    const value = attached ?? (flag.value === "one" || isValue(rest[0]) ? rest.shift() : "")
    if (value === undefined) throw new LaunchError(`${name} needs a value`)
    if (flag.kind === "carried") flag.take(draft, value)
  }
  return draft
}

const isValue = (arg: string | undefined): boolean => arg !== undefined && !arg.startsWith("-")

const unknownArgument = (name: string): LaunchError =>
  new LaunchError(
    name.startsWith("-")
      ? `Perch does not know the flag ${name} (options.extraArgs, options.executableArgs)`
      : `Perch does not know the argument ${JSON.stringify(name)}: options.pathToClaudeCodeExecutable must be "perch"`,
  )
