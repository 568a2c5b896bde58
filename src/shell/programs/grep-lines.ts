// Receives the content of one file and grep's search; returns the output for it, and whether a line was selected.
// Invariant: text has one character per byte, like the shell's pipes; a line is decoded only for matching.
import type { Find, Span } from "./grep-pattern.ts"
import { linesOf, type Options } from "./program.ts"

export interface Search {
  readonly options: Options
  readonly find: Find
  /** True if lines begin with the name of their file. */
  readonly named: boolean
  /** The character at the end of a line. */
  readonly end: string
  /** How many lines before and after a selected one are shown. */
  readonly before: number
  readonly after: number
  /** The most lines that are selected. */
  readonly most: number
  /** Receives the number of lines of each file. */
  readonly spendLines: (lines: number) => void
}

interface Found {
  readonly text: string
  readonly selected: boolean
  /** How many bytes were read until the last line that is selected was found; absent if that is not known. */
  readonly read?: number
}

/** Decodes text with one character per byte, like in the shell's pipes, if it is valid UTF-8. */
export const decode = (raw: string): string => {
  const text = Buffer.from(raw, "latin1").toString("utf8")
  return text.includes("\ufffd") ? raw : text
}

/**
 * The matches in a line from the first one on, for `-o`: their bytes, each with its offset in bytes. Empty matches are left out.
 * `text` is the decoded line.
 */
function* matchesOf(
  line: string,
  text: string,
  first: Span | null,
  find: Find,
): Generator<readonly [content: string, offset: number]> {
  const plain = text === line
  let [span, from, offset, counted] = [first, 0, 0, 0]
  while (span !== null && from <= text.length) {
    const [start, stop] = span
    offset += plain ? start - counted : Buffer.byteLength(text.slice(counted, start))
    counted = start
    const part = text.slice(start, stop)
    if (stop > start) yield [plain ? part : Buffer.from(part).toString("latin1"), offset]
    from = stop > start ? stop : stop + 1
    span = find(text, from)
  }
}

export const searchIn = (
  raw: string,
  name: string,
  { options, find, named, end, before, after, most, spendLines }: Search,
): Found => {
  const has = options.has
  const colored = options.value("color") === "always"
  const tail = has("Z") ? "\0" : ""
  const isBinary = !has("a") && !has("z") && raw.includes("\0")
  const binary = options.value("binary") ?? (has("I") ? "without-match" : "binary")
  if (isBinary && binary === "without-match") return { text: has("L") ? name + (tail || "\n") : "", selected: false }
  const silent = has("q") || has("l") || has("L") || (isBinary && binary !== "text" && !has("c"))
  const shown: Array<string> = []
  const painted = (color: string, text: string): string => (colored ? `\x1b[${color}m\x1b[K${text}\x1b[m\x1b[K` : text)
  const shownName = painted("35", name)
  const label = (mark: string, line: number, offset: number): string =>
    (named ? shownName + (tail || painted("36", mark)) : "") +
    (has("n") ? painted("32", `${line + 1}`) + painted("36", mark) : "") +
    (has("b") ? painted("32", `${offset}`) + painted("36", mark) : "") +
    (has("T") && (named || has("n") || has("b")) ? "\t" : "")
  const lines = linesOf(raw, end)
  spendLines(lines.length)
  let [selected, offset, last, left] = [0, 0, -1, 0]
  let read = raw.length
  const starts: Array<number> = []
  for (const [at, line] of lines.entries()) {
    starts.push(offset)
    const text = decode(line)
    const span = selected < most ? find(text, 0) : null
    if (selected < most && (span !== null) !== has("v")) {
      selected += 1
      if (silent) break
      if (selected === most) read = offset + line.length + end.length
      if (!has("c") && has("o")) {
        for (const [content, lead] of matchesOf(line, text, span, find))
          shown.push(label(":", at, offset + lead) + painted("01;31", content) + end)
      } else if (!has("c")) {
        const first = Math.max(last + 1, at - before)
        if (last !== -1 && first > last + 1 && before + after > 0) shown.push(`${painted("36", "--")}\n`)
        for (let near = first; near < at; near += 1)
          shown.push(label("-", near, starts[near] ?? 0) + (lines[near] ?? "") + end)
        let [rest, done] = ["", 0]
        if (colored && !has("v"))
          for (const [content, lead] of matchesOf(line, text, span, find)) {
            rest += line.slice(done, lead) + painted("01;31", content)
            done = lead + content.length
          }
        shown.push(label(":", at, offset) + rest + line.slice(done) + end)
        last = at
      }
      left = after
    } else if (left > 0 && !has("c") && !has("o") && !silent) {
      left -= 1
      shown.push(label("-", at, offset) + line + end)
      last = at
    } else if (selected >= most) break
    offset += line.length + end.length
  }
  const hit = selected > 0
  if (has("q")) return { text: "", selected: hit }
  if (has("L") || has("l")) return { text: hit === has("l") ? shownName + (tail || "\n") : "", selected: hit }
  if (has("c"))
    return { text: `${named ? shownName + (tail || painted("36", ":")) : ""}${selected}\n`, selected: hit, read }
  if (silent) return { text: hit ? `grep: ${name}: binary file matches\n` : "", selected: hit }
  return { text: shown.join(""), selected: hit, read }
}
