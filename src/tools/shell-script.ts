// Receives a shell script; says what can be known of it without running it.
// Invariant: whatever is not plainly understood (expansions, substitutions, redirections, loops) makes it `plain: false`.
import { Bash, InMemoryFs } from "just-bash/browser"

type Script = ReturnType<Bash["transform"]>["ast"]
type Statement = Script["statements"][number]
type Command = Statement["pipelines"][number]["commands"][number]
type SimpleCommand = Extract<Command, { type: "SimpleCommand" }>
type Word = SimpleCommand["args"][number]
type Part = Word["parts"][number]

/** One command as it is written. A null word can't be known before it runs. */
export interface ShellCommand {
  readonly name: string | null
  readonly args: ReadonlyArray<string | null>
  /** Files it is redirected to or from, /dev/null and other descriptors left out. */
  readonly files: ReadonlyArray<string | null>
}

export interface ShellScript {
  readonly commands: ReadonlyArray<ShellCommand>
  /** True when the commands, in this order, are all that can happen. */
  readonly plain: boolean
}

const UNKNOWN: ShellScript = { commands: [], plain: false }

let parser: Bash | undefined
let last: { readonly source: string; readonly script: ShellScript } | undefined

const partText = (part: Part): string | null => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "Escaped":
      return part.value
    case "DoubleQuoted":
      return join(part.parts)
    case "TildeExpansion":
      return part.user === null ? "~" : null
    case "Glob":
      return part.pattern
    default:
      return null
  }
}

const join = (parts: ReadonlyArray<Part>): string | null => {
  let text = ""
  for (const part of parts) {
    const piece = partText(part)
    if (piece === null) return null
    text += piece
  }
  return text
}

/** A word's text; null when it depends on anything, or when a glob at its start could become an option. */
const wordText = (word: Word): string | null => (word.parts[0]?.type === "Glob" ? null : join(word.parts))

/** True when expanding the part can do no more than put in a variable's value. */
const isInert = (part: Part): boolean => {
  if (part.type === "DoubleQuoted") return part.parts.every(isInert)
  return part.type === "ParameterExpansion" ? part.operation === null : partText(part) !== null
}

const isWord = (target: SimpleCommand["redirections"][number]["target"]): target is Word => target.type === "Word"

class Reader {
  readonly commands: Array<ShellCommand> = []
  plain = true

  statements(statements: ReadonlyArray<Statement>): void {
    for (const statement of statements) {
      if (statement.background || statement.deferredError !== undefined) this.plain = false
      for (const pipeline of statement.pipelines) for (const command of pipeline.commands) this.command(command)
    }
  }

  command(command: Command): void {
    switch (command.type) {
      case "SimpleCommand":
        return this.simple(command)
      case "Subshell":
      case "Group":
        if (command.redirections.length > 0) this.plain = false
        return this.statements(command.body)
      case "If":
        this.plain = false
        for (const clause of command.clauses) this.statements([...clause.condition, ...clause.body])
        return this.statements(command.elseBody ?? [])
      case "For":
      case "CStyleFor":
        this.plain = false
        return this.statements(command.body)
      case "While":
      case "Until":
        this.plain = false
        return this.statements([...command.condition, ...command.body])
      case "Case":
        this.plain = false
        return this.statements(command.items.flatMap((item) => item.body))
      default:
        this.plain = false
    }
  }

  simple(command: SimpleCommand): void {
    if (command.assignments.length > 0) this.plain = false
    const words = command.name === null ? command.args : [command.name, ...command.args]
    if (!words.every((word) => word.parts.every(isInert))) this.plain = false
    const files: Array<string | null> = []
    for (const { operator, target } of command.redirections) {
      if (!isWord(target)) {
        if (!target.quoted && target.content.parts.some((part) => partText(part) === null)) this.plain = false
        continue
      }
      const text = wordText(target)
      if (text === null && operator === "<<<") this.plain = false
      if (operator === "<<<" || text === "/dev/null" || (/[<>]&$/.test(operator) && /^(?:\d+|-)$/.test(text ?? "")))
        continue
      files.push(text)
    }
    if (command.name === null && files.length === 0) return
    this.commands.push({
      name: command.name === null ? null : wordText(command.name),
      args: command.args.map(wordText),
      files,
    })
  }
}

/** Parses a script with the shell's own parser; one that does not parse is unknown. */
export const readScript = (source: string): ShellScript => {
  if (last?.source === source) return last.script
  parser ??= new Bash({ fs: new InMemoryFs(), commands: [] })
  let script = UNKNOWN
  try {
    const reader = new Reader()
    reader.statements(parser.transform(source).ast.statements)
    script = { commands: reader.commands, plain: reader.plain }
  } catch {
    // Any parse failure means the same: nothing is known, and the shell will report it when it runs.
    script = UNKNOWN
  }
  last = { source, script }
  return script
}
