// diff as in GNU: normal and unified format, directories, and options to ignore case and blanks.
// Invariant: the exit code is 0 when there is no difference, 1 when there is one, 2 when something could not be read.
import { diffArrays, structuredPatch } from "diff"
import { globMatcher } from "../syntax/patterns.ts"
import { bytes, type Context, linesOf, program, readInput, readOptions, UsageError, why } from "./program.ts"

const OPTIONS = {
  flags: "uqsrNiwbBaZ",
  values: "UxL",
  long: {
    unified: "u",
    brief: "q",
    "report-identical-files": "s",
    recursive: "r",
    "new-file": "N",
    "ignore-case": "i",
    "ignore-all-space": "w",
    "ignore-space-change": "b",
    "ignore-blank-lines": "B",
    text: "a",
    color: "a",
    label: "L=",
    exclude: "x=",
    "strip-trailing-cr": "cr",
  },
}

/** With more changed lines, the files count as entirely different: a finer result would take too much work. */
const MAX_EDITS = 1_000

type Options = ReturnType<typeof readOptions>

interface Side {
  readonly name: string
  readonly text: string
}

const range = (from: number, count: number): string => (count === 1 ? `${from}` : `${from},${from + count - 1}`)

const side = (mark: string, lines: ReadonlyArray<string>, unended: boolean): string =>
  lines.map((line) => `${mark} ${line}\n`).join("") + (unended ? "\\ No newline at end of file\n" : "")

const normalForm = (left: Side, right: Side, same: (a: string, b: string) => boolean): string => {
  const a = linesOf(left.text)
  const b = linesOf(right.text)
  const endsA = left.text === "" || left.text.endsWith("\n")
  const endsB = right.text === "" || right.text.endsWith("\n")
  // The last lines differ when only one of them has a line end.
  const marked = (lines: ReadonlyArray<string>, ends: boolean) =>
    ends || endsA === endsB ? lines : [...lines.slice(0, -1), `${lines.at(-1) ?? ""}\0`]
  const changes = diffArrays([...marked(a, endsA)], [...marked(b, endsB)], {
    comparator: same,
    maxEditLength: MAX_EDITS,
  }) ?? [
    { removed: true, added: false, value: [...a] },
    { removed: false, added: true, value: [...b] },
  ]
  let text = ""
  let atA = 0
  let atB = 0
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at]
    if (change === undefined) break
    if (!change.added && !change.removed) {
      atA += change.value.length
      atB += change.value.length
      continue
    }
    const following = changes[at + 1]
    const paired = following !== undefined && (following.added || following.removed)
    const removed = change.removed ? change.value.length : paired && following.removed ? following.value.length : 0
    const added = change.added ? change.value.length : paired && following.added ? following.value.length : 0
    if (paired) at += 1
    const from = removed === 0 ? `${atA}` : range(atA + 1, removed)
    const to = added === 0 ? `${atB}` : range(atB + 1, added)
    text += `${from}${removed === 0 ? "a" : added === 0 ? "d" : "c"}${to}\n`
    text += side("<", a.slice(atA, atA + removed), !endsA && removed > 0 && atA + removed === a.length)
    if (removed > 0 && added > 0) text += "---\n"
    text += side(">", b.slice(atB, atB + added), !endsB && added > 0 && atB + added === b.length)
    atA += removed
    atB += added
  }
  return text
}

/** Lines that are the same although they differ are shown as they are in the first file. */
const withFirstLines = (lines: ReadonlyArray<string>, first: ReadonlyArray<string>, start: number) => {
  let at = start - 1
  return lines.map((line) => {
    if (line.startsWith(" ")) return ` ${first[at++] ?? ""}`
    if (line.startsWith("-")) at += 1
    return line
  })
}

interface Unified {
  readonly labels: readonly [string, string]
  /** How many lines are shown around a change. */
  readonly around: number
  readonly same: (a: string, b: string) => boolean
}

const unifiedForm = (left: Side, right: Side, { labels, around, same }: Unified): string => {
  const limits = { context: around, maxEditLength: MAX_EDITS, comparator: same }
  const patch = structuredPatch("", "", left.text, right.text, "", "", limits)
  const hunks = patch?.hunks ?? [whole(left, right)]
  const first = linesOf(left.text)
  if (hunks.length === 0) return ""
  // As in GNU: a range without lines starts behind the line before it, which is line 0 in an empty file.
  const place = (start: number, count: number): string =>
    count === 1 ? `${start}` : `${count === 0 ? Math.max(0, start - 1) : start},${count}`
  const shown = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const title = `@@ -${place(oldStart, oldLines)} +${place(newStart, newLines)} @@`
    return `${[title, ...withFirstLines(lines, first, oldStart)].join("\n")}\n`
  })
  return `--- ${labels[0]}\n+++ ${labels[1]}\n${shown.join("")}`
}

const whole = (left: Side, right: Side) => {
  const a = linesOf(left.text)
  const b = linesOf(right.text)
  const lines = [...a.map((line) => `-${line}`), ...b.map((line) => `+${line}`)]
  return { oldStart: 1, oldLines: a.length, newStart: 1, newLines: b.length, lines }
}

const sameLines = ({ has }: Options): ((a: string, b: string) => boolean) => {
  const plain = (line: string): string => {
    const cased = has("i") ? line.toLowerCase() : line
    if (has("w")) return cased.replace(/[ \t]+/g, "")
    if (has("b")) return cased.replace(/[ \t]+/g, " ").trimEnd()
    return has("Z") ? cased.trimEnd() : cased
  }
  return has("i") || has("w") || has("b") || has("Z") ? (a, b) => plain(a) === plain(b) : (a, b) => a === b
}

const timeOf = async (context: Context, name: string): Promise<string> => {
  const path = context.fs.resolvePath(context.cwd, name)
  // As in GNU: a file that is missing (`-N`) has the earliest time.
  const time = name === "-" ? new Date() : ((await context.fs.stat(path).catch(() => null))?.mtime ?? new Date(0))
  return `${time.toISOString().replace("T", " ").replace("Z", "000000")} +0000`
}

const compareFiles = async (context: Context, left: Side, right: Side, options: Options): Promise<string> => {
  if (left.text === right.text) return options.has("s") ? `Files ${left.name} and ${right.name} are identical\n` : ""
  const same = sameLines(options)
  const loose = options.has("B") ? (text: string) => linesOf(text).filter((line) => line.trim() !== "") : linesOf
  const a = loose(left.text)
  const b = loose(right.text)
  const ignores = ["i", "w", "b", "B", "Z"].some((name) => options.has(name))
  if (ignores && a.length === b.length && a.every((line, at) => same(line, b[at] ?? ""))) return ""
  if (options.has("q")) return `Files ${left.name} and ${right.name} differ\n`
  if (left.text.includes("\0") || right.text.includes("\0"))
    if (!options.has("a")) return `Binary files ${left.name} and ${right.name} differ\n`
  if (!options.has("u") && !options.has("U")) return normalForm(left, right, same)
  const [labelA, labelB] = options.all("L")
  const labels = [
    labelA ?? `${left.name}\t${await timeOf(context, left.name)}`,
    labelB ?? `${right.name}\t${await timeOf(context, right.name)}`,
  ] as const
  return unifiedForm(left, right, { labels, around: Number(options.value("U") ?? 3), same })
}

const isDirectory = async (context: Context, name: string): Promise<boolean> => {
  const path = context.fs.resolvePath(context.cwd, name)
  return name !== "-" && (await context.fs.exists(path)) && (await context.fs.stat(path)).isDirectory
}

const namesIn = async (context: Context, name: string): Promise<ReadonlyArray<string>> =>
  (await isDirectory(context, name)) ? context.fs.readdir(context.fs.resolvePath(context.cwd, name)) : []

export const diffProgram = program(
  "diff",
  async (args, context) => {
    const options = readOptions(
      args.map((arg) => arg.replace(/^--unified=/, "-U").replace(/^--color=.*$/, "--color")),
      OPTIONS,
    )
    const [left, right] = options.operands
    if (left === undefined || right === undefined) throw new UsageError(`missing operand after '${left ?? "diff"}'`)
    let stderr = ""
    const read = async (name: string): Promise<Side | null> => {
      try {
        const text = await readInput(context, name)
        return { name, text: options.has("cr") ? text.replace(/\r\n/g, "\n") : text }
      } catch (error) {
        const reason = why(error)
        if (options.has("N") && reason === "No such file or directory") return { name, text: "" }
        stderr += `diff: ${name}: ${reason}\n`
        return null
      }
    }
    const titled = async (a: string, b: string): Promise<string> => {
      const [first, second] = [await read(a), await read(b)]
      if (first === null || second === null) return ""
      const text = await compareFiles(context, first, second, options)
      const flags = args.filter((arg) => arg.startsWith("-")).join(" ")
      return text === "" || options.has("q") || /^(?:Binary|Files) /.test(text)
        ? text
        : `diff ${flags} ${a} ${b}\n${text}`
    }
    const directories = async (a: string, b: string): Promise<string> => {
      // A directory that is missing (`-N`) is empty.
      const [namesA, namesB] = [await namesIn(context, a), await namesIn(context, b)]
      context.executionScope?.consumeWork(namesA.length + namesB.length + 1, "diff")
      const excluded = options.all("x").map((glob) => globMatcher(glob, false))
      let text = ""
      for (const name of Array.from(new Set([...namesA, ...namesB])).sort()) {
        if (excluded.some((matches) => matches(name))) continue
        const inA = namesA.includes(name)
        const both = inA && namesB.includes(name)
        const [pathA, pathB] = [`${a}/${name}`, `${b}/${name}`]
        if (!both && !options.has("N")) text += `Only in ${inA ? a : b}: ${name}\n`
        else if ((await isDirectory(context, inA ? pathA : pathB)) && (!both || (await isDirectory(context, pathB))))
          text += options.has("r") ? await directories(pathA, pathB) : `Common subdirectories: ${pathA} and ${pathB}\n`
        else text += await titled(pathA, pathB)
      }
      return text
    }
    const [dirA, dirB] = [await isDirectory(context, left), await isDirectory(context, right)]
    const inside = (dir: string, file: string): string => `${dir}/${file.slice(file.lastIndexOf("/") + 1)}`
    let text: string
    if (dirA && dirB) text = await directories(left, right)
    else {
      const first = await read(dirA ? inside(left, right) : left)
      const second = await read(dirB ? inside(right, left) : right)
      text = first === null || second === null ? "" : await compareFiles(context, first, second, options)
    }
    const differs = text !== "" && !/^Files .* are identical\n$/.test(text)
    return bytes(text, stderr, stderr !== "" ? 2 : differs ? 1 : 0)
  },
  2,
)
