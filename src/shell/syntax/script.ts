// Receives a shell script; returns what can be determined without running it: its simple commands, in order, at any depth, with
// the directories in which each may run.
// Invariant: everything that may change what a command does (other assignments than `mayAssign` permits, functions, computed
// expansions) sets `plain: false`.
import { NO_VALUES, withAssigned } from "./assigned-values.ts"
import { isPlainVariable, mayAssign, mayEvaluate, operandsOf } from "./evaluation.ts"
import { scriptTree } from "./parser.ts"
import { asRedirected } from "./parser-gaps.ts"
import { below, withUnknown } from "./paths.ts"
import { roughCommands } from "./rough-commands.ts"
import type { ShellCommand, ShellScript } from "../shell-command.ts"
import {
  type Command,
  type Conditional,
  globText,
  type If,
  insertsText,
  isInert,
  insertsVariable,
  isSubstitution,
  isUnforeseen,
  type Loop,
  type Part,
  type Pipeline,
  type Redirection,
  type Script,
  type SimpleCommand,
  type Statement,
  type Word,
  wordText,
  written,
} from "./words.ts"
import { innerCommand, isUnclear, readingCommand, timed } from "./wrappers.ts"

const UNKNOWN: ShellScript = {
  commands: [],
  plain: false,
  shape: { nested: true, isolated: false, piped: false, background: false },
  parsed: false,
}
const UNFOLLOWED: ReadonlySet<string> = new Set(["FunctionDef", "Case", "CStyleFor"])
const MOVES: ReadonlySet<string | null> = new Set(["cd", "pushd", "popd"])
const MAX_PLACES = 8

/** Matches a script inside an expression that the parser leaves as text. */
const HIDDEN_SCRIPT = /\$\(|`/

const isWord = (target: Redirection["target"]): target is Word => target.type === "Word"

class Reader {
  readonly commands: Array<ShellCommand> = []
  plain = true
  nested = false
  isolated = false
  piped = false
  background = false
  /** The directories in which the next command may run. */
  #places: ReadonlyArray<string | null> = ["."]
  #values = NO_VALUES
  #followed = true
  /** True after the first assignment or loop: any variable in a later word may have a value of the script. */
  #assigns = false

  script(script: Script): void {
    this.#statements(script.statements)
  }

  #statements(statements: ReadonlyArray<Statement>): void {
    for (const statement of statements) {
      if (statement.background || statement.deferredError !== undefined) this.plain = false
      this.background ||= statement.background
      this.#list(statement)
    }
  }

  /** After `cd x &&`, the directory is known; in all other cases the `cd` may have failed or not run at all. */
  #list({ pipelines, operators }: Statement): void {
    const possible = new Set(this.#places)
    let sure = true
    pipelines.forEach((pipeline, index) => {
      this.#pipeline(pipeline)
      for (const place of this.#places) possible.add(place)
      if (operators[index] === "||" || pipeline.negated) sure = false
      if (sure && operators[index] === "&&") return
      this.#places = possible.size > MAX_PLACES ? [null] : Array.from(possible)
    })
  }

  #pipeline({ commands, negated, timed, timePosix }: Pipeline): void {
    const [first, ...others] = commands
    if (first === undefined) return
    this.piped ||= others.length > 0
    const read = () => (timed === true ? this.#timed(first, negated || timePosix === true) : this.#command(first))
    if (others.length === 0) return read()
    this.#isolated(read)
    for (const command of others) this.#isolated(() => this.#command(command))
  }

  /** Reads `time` and its command as one command; `isUnusual`: not in its plain form (`time -p x`, `time ! x`). */
  #timed(command: Command, isUnusual: boolean): void {
    this.#command(command)
    const read = command.type === "SimpleCommand" && command.name !== null ? this.commands.pop() : undefined
    const all = read && timed(read)
    if (all === undefined || isUnusual || all.assigns === true || isUnclear(all)) this.nested = true
    if (all !== undefined) this.commands.push(all)
  }

  /** Reads commands that run in a subshell: a `cd` or an assignment there does not affect the commands after it. */
  #isolated(read: () => void): void {
    const [places, values] = [this.#places, this.#values]
    read()
    this.#places = places
    this.#values = values
  }

  #command(command: Command): void {
    switch (command.type) {
      case "SimpleCommand":
        return this.#simple(command)
      case "Subshell":
        this.nested = true
        this.isolated = true
        this.#redirected(command.redirections)
        return this.#isolated(() => {
          this.#values = NO_VALUES
          this.#statements(command.body)
        })
      case "Group":
        this.nested = true
        this.#redirected(command.redirections)
        return this.#statements(command.body)
      case "If":
        return this.#branches(command)
      case "While":
      case "Until":
        return this.#anywhere(command)
      case "For":
        return this.#loop(command)
      case "ConditionalCommand":
        return this.#condition(command)
      default:
        this.nested = true
        return this.#unclear(command)
    }
  }

  /** Lists the commands of a loop over words. */
  #loop(node: Loop): void {
    this.#assigns = true
    const isPlain = (node.words ?? []).every(({ parts }) =>
      parts.every((part) => isInert(part) || isSubstitution(part)),
    )
    if (!isPlain || !isPlainVariable(node.variable) || node.redirections.length > 0) this.plain = false
    this.#anywhere(node)
  }

  /** Lists the commands of all branches, each of which may run. */
  #branches({ clauses, elseBody, redirections }: If): void {
    const values = this.#values
    this.#redirected(redirections)
    for (const { condition, body } of clauses) this.#statements([...condition, ...body])
    this.#statements(elseBody ?? [])
    this.#values = values
  }

  /** Lists a condition as a command with its operands, if it only compares texts or looks up files. */
  #condition(node: Conditional): void {
    const words = operandsOf(node.expression)
    if (words === null) {
      this.nested = true
      return this.#unclear(node)
    }
    this.#redirected(node.redirections)
    const args = words.map(wordText)
    const shown = words.map(written)
    const text = `[[ ${shown.join(" ")} ]]`
    this.commands.push({
      name: "[[",
      args,
      globs: args,
      from: [],
      to: [],
      words: ["[[", ...shown],
      text,
      ...this.#context(words),
    })
  }

  /** Lists every command inside, without assuming when or where each one runs. */
  #unclear(node: Command): void {
    this.plain = false
    this.#anywhere(node)
  }

  /** As `#unclear`, for a node that runs no other commands than those. */
  #anywhere(node: Command): void {
    const start = this.commands.length
    const [values, followed] = [this.#values, this.#followed]
    if (UNFOLLOWED.has(node.type)) this.#followed = false
    this.#inner(node)
    this.#values = values
    this.#followed = followed
    // Conditions evaluate subscripts inside quotes.
    if (node.type === "ConditionalCommand") this.#quoted(node)
    const inside = this.commands.splice(start)
    // As in the official SDK, the directory stays known in a `while` or `until` loop none of whose commands changes it. In any other
    // such block, commands may run in it or in an unknown one.
    const staysHere = node.type === "While" || node.type === "Until"
    const mayMove = !staysHere || inside.some((one) => MOVES.has(innerCommand(one).name))
    this.commands.push(...(mayMove ? inside.map((one) => ({ ...one, places: withUnknown(one.places) })) : inside))
    if (mayMove) this.#places = withUnknown(this.#places)
  }

  #quoted(node: unknown): void {
    if (typeof node !== "object" || node === null) return
    const { type, value } = node as { readonly type?: unknown; readonly value?: unknown }
    if (type === "SingleQuoted" && typeof value === "string" && HIDDEN_SCRIPT.test(value)) this.#text(value)
    for (const inner of Object.values(node)) this.#quoted(inner)
  }

  #simple(command: SimpleCommand): void {
    if (!mayAssign(command)) this.plain = false
    if (command.name === null && command.assignments.length > 0) this.#assigns = true
    const words = command.name === null ? command.args : [command.name, ...command.args]
    if (!words.every((word) => word.parts.every((part) => isInert(part) || isSubstitution(part)))) this.plain = false
    if (command.name !== null && wordText(command.name) === null) this.plain = false
    if (mayEvaluate(words)) this.#evaluated(words)
    this.#isolated(() => this.#inner([command.assignments, words, command.redirections]))
    if (words.some(isUnforeseen)) this.nested = true
    if (this.#assigns && words.some(insertsVariable)) this.plain = false
    const { from, to } = this.#files(command.redirections)
    const values = this.#values
    this.#values = withAssigned(values, command)
    if (command.name === null && from.length + to.length === 0) return
    const name = command.name === null ? null : wordText(command.name)
    const args = command.args.map(wordText)
    const shown = words.map(written)
    const globs = command.args.map(globText)
    const text = shown.join(" ")
    const assigns = command.assignments.length > 0
    const read = { name, args, globs, from, to, words: shown, text, assigns, ...this.#context(words, values) }
    this.commands.push(read)
    if (isUnclear(read)) this.nested = true
    this.#move(readingCommand(read))
  }

  /** Reads scripts in the words of a command that may evaluate them. */
  #evaluated(words: ReadonlyArray<Word>): void {
    this.plain = false
    for (const text of words.map(wordText)) if (HIDDEN_SCRIPT.test(text ?? "")) this.#text(text ?? "")
  }

  /** Lists the redirections of a group as a command without a name. */
  #redirected(redirections: ReadonlyArray<Redirection>): void {
    this.#isolated(() => this.#inner(redirections))
    // As in the official SDK, a redirection of a whole `if` or loop is always asked about.
    this.nested ||= redirections.length > 0
    const { from, to } = this.#files(redirections)
    if (from.length + to.length === 0) return
    this.commands.push({ name: null, args: [], globs: [], from, to, words: [], text: "", ...this.#context([]) })
  }

  #context(parts: ReadonlyArray<Word>, values = this.#values) {
    return { parts, places: this.#places, values, followed: this.#followed }
  }

  /** An earlier directory, such as `-` or that of `popd`, is not known. */
  #move({ name, args: [to = name === "cd" ? "~" : "+1"] }: ShellCommand): void {
    if (!MOVES.has(name)) return
    const isKnown = name !== "popd" && !/^[-+]/.test(to ?? "")
    this.#places = this.#places.map((place) => (isKnown ? below(place, to) : null))
  }

  #files(redirections: ReadonlyArray<Redirection>) {
    const from: Array<string | null> = []
    const to: Array<string | null> = []
    for (const { operator, target, fdVariable } of redirections.map(asRedirected)) {
      // `{name}> file` assigns a variable.
      if (fdVariable !== undefined) this.plain = false
      if (!isWord(target)) {
        // As the official SDK: a here-document is only text if its delimiter is quoted, without pipes and other redirections.
        this.nested ||= !target.quoted || redirections.length > 1 || this.piped
        if (!target.quoted && !target.content.parts.every((part) => isInert(part) || isSubstitution(part)))
          this.plain = false
        continue
      }
      if (operator === "<<<") {
        if (!target.parts.every((part) => isInert(part) || isSubstitution(part))) this.plain = false
        if (isUnforeseen(target)) this.nested = true
        continue
      }
      const text = wordText(target)
      if (text === "/dev/null" || (/[<>]&$/.test(operator) && /^(?:\d+|-)$/.test(text ?? ""))) continue
      if (operator === "<" || operator === "<&") from.push(text)
      else to.push(text)
    }
    return { from, to }
  }

  /** Finds the commands below any node of the tree. */
  #inner(node: unknown): void {
    if (typeof node === "string") {
      if (HIDDEN_SCRIPT.test(node)) this.#text(node)
    } else if (Array.isArray(node)) {
      for (const item of node) this.#inner(item)
    } else if (typeof node === "object" && node !== null) {
      // The interpreter's parser made the node, so its other fields are those of its type.
      const { type, quoted } = node as { readonly type?: unknown; readonly quoted?: unknown }
      if (type === "SimpleCommand") this.#simple(node as SimpleCommand)
      else if (type === "ArithCommandSubst") this.#text((node as { readonly command: string }).command)
      else if (type === "SingleQuoted" || type === "Escaped" || type === "Literal") return
      else if (type === "HereDoc" && quoted === true) return
      else if (type === "CommandSubstitution" && insertsText(node as Part)) return
      else if (type === "Statement") this.#statements([node as Statement])
      else if (type === "Script") this.#isolated(() => this.#statements((node as Script).statements))
      else {
        const { redirections = [], ...parts } = node as { readonly redirections?: ReadonlyArray<Redirection> }
        this.#redirected(redirections)
        for (const [key, value] of Object.entries(parts)) if (key !== "sourceText") this.#inner(value)
      }
    }
  }

  /** Reads a script that the syntax tree contains as text. */
  #text(source: string): void {
    this.plain = false
    this.nested = true
    this.commands.push(...roughCommands(source))
  }
}

let last: { readonly source: string; readonly script: ShellScript } | undefined

/** Parses a script with the shell's own parser; if that fails, the result has only rough pieces. */
export const readScript = (source: string): ShellScript => {
  if (last?.source === source) return last.script
  let script = UNKNOWN
  try {
    const reader = new Reader()
    reader.script(scriptTree(source))
    const { commands, plain, nested, isolated, piped, background } = reader
    script = { commands, plain, shape: { nested, isolated, piped, background }, parsed: true }
  } catch {
    // All parse errors are treated alike: nothing is certain, and the shell reports them when it runs the script.
    script = { ...UNKNOWN, commands: roughCommands(source) }
  }
  last = { source, script }
  return script
}
