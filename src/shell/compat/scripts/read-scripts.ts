// Scripts that a shell reads from its standard input (`bash <<EOF`, `curl … | sh`). Receives the input of such a shell, and what each
// command leaves of it; returns the statements that run next.
// Invariant: the input of a command begins after the line on which the command ends, and what a command has read does not run.
import { group, type Node, simple, statement, text, wordOf } from "../../syntax/nodes.ts"
import { withoutGaps } from "../../syntax/parser-gaps.ts"
import { restored } from "../../raw-bytes.ts"
import type { InputState } from "../inputs.ts"

/** A command that a started shell has in place of the script in its input. Its argument is the name of the shell. */
export const READ_SCRIPT = "perch-read-script"

/** The statements of a script, and how each was written; null if the script does not parse. */
type Read = (
  source: string,
) => { readonly written: ReadonlyArray<string>; readonly statements: ReadonlyArray<Node> } | null

/** A statement of `body` that contains the commands of one line, or of the lines over which its last command extends. */
interface Unit {
  readonly body: Array<Node>
  readonly read: Read
  /** True if the shell reads its input in blocks, as Debian's `sh` does: nothing is left for its commands. */
  readonly inBlocks: boolean
  /** What follows it in the input; null if that is what the statement before it has left. */
  readonly rest: string | null
  /** True if it only reads the statements after it. */
  readonly reads: boolean
}

const units = new WeakMap<object, Unit>()

const reading = (unit: Omit<Unit, "rest" | "reads">, rest: string | null): Node => {
  const node = statement(simple(":", []))
  units.set(node, { ...unit, reads: true, rest })
  return node
}

/** The command in place of the script. */
export const readingScript = (read: Read, inBlocks: boolean): Node => {
  const body: Array<Node> = []
  body.push(reading({ body, read, inBlocks }, null))
  return group(body)
}

/** Runs a statement; if it belongs to a script that is read, the input that it leaves is what is read next. */
export const inReadScript = async (state: InputState, node: unknown, run: () => Promise<unknown>): Promise<unknown> => {
  // A node of the interpreter's own parser, or of this file.
  const unit = units.get(node as object)
  if (unit === undefined) return run()
  const { body, reads, rest } = unit
  if (rest !== null) state.groupStdin = rest
  const result = await run()
  const left = String(state.groupStdin ?? "")
  // The interpreter takes the next statement from the list only after this one. `node` is an item of the list.
  if (reads || left !== rest) body.splice(body.indexOf(node as Node) + 1, body.length, ...following(left, unit))
  return result
}

const newLines = (source: string): number => source.split("\n").length - 1

/** How many lines to try: all, fewer and fewer, and then as few as the first statement has. */
function* countsOf(lines: number): Generator<number> {
  for (let count = lines; count > 0; count >>= 1) yield count
  for (let count = 2; count < lines; count += 1) yield count
}

/** The statements for an input: all, or those that parse, and one that reads on or reports the first that does not parse. */
const following = (input: string, unit: Unit): ReadonlyArray<Node> => {
  const { read, inBlocks } = unit
  const lines = input.split(/(?<=\n)/)
  let length = 0
  const starts = lines.map((line) => (length += line.length) - line.length)
  const sourceOf = (from: number, to?: number) =>
    Buffer.from(restored(lines.slice(from, to).join("")), "latin1").toString("utf8")
  let count = 0
  let script: ReturnType<Read> = null
  for (count of countsOf(lines.length)) {
    script = read(sourceOf(0, count))
    // The parser accepts a here-document that is cut off.
    if (count < lines.length && script?.written.at(-1)?.includes("<<") === true) script = null
    if (script !== null) break
  }
  if (script === null) return failing(sourceOf(0), unit)
  const { written, statements } = script
  const source = withoutGaps(sourceOf(0, count))
  const parts: Array<{ readonly nodes: Array<Node>; end: number; rest: number; hasDocument: boolean }> = []
  let [at, line] = [0, 0]
  for (const [index, node] of statements.entries()) {
    const own = written[index] ?? ""
    const start = Math.max(source.indexOf(own, at), at)
    line += newLines(source.slice(at, start))
    let part = parts.at(-1)
    // A here-document ends before the next statement.
    if (part?.hasDocument === true) part.rest = line
    if (part === undefined || line > part.end) {
      part = { nodes: [], end: line, rest: line, hasDocument: false }
      parts.push(part)
    }
    line += newLines(own)
    at = start + own.length
    part.nodes.push(node)
    part.end = line
    part.hasDocument ||= own.includes("<<")
    part.rest = part.hasDocument ? count : line + 1
  }
  const next = parts.map(({ nodes, rest }) => {
    const [only, another] = nodes
    const node = only !== undefined && another === undefined ? only : statement(group(nodes))
    units.set(node, { ...unit, reads: false, rest: inBlocks ? "" : input.slice(starts[rest] ?? length) })
    return node
  })
  return count === lines.length ? next : [...next, reading(unit, inBlocks ? input.slice(starts[count]) : null)]
}

const failing = (source: string, unit: Unit): ReadonlyArray<Node> => {
  const error = statement(simple("eval", [wordOf({ type: "SingleQuoted", value: source })]))
  units.set(error, { ...unit, reads: false, rest: "" })
  return [error, statement(simple("exit", [wordOf(text("2"))]))]
}
