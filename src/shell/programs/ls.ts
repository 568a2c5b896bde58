// ls as in GNU when its output is not a terminal: one name per line, aligned long lines, -R, -d, -p, -F.
// Invariant: files from the command line are listed first, then each directory under its name.
import { ownValue } from "../../schemas/own-value.ts"
import { formatTime } from "./jq/times.ts"
import { globMatcher } from "../syntax/patterns.ts"
import { bytes, type Context, type Options, program, readOptions, UsageError, why } from "./program.ts"

const OPTIONS = {
  flags: "aAlo1RdpFrtSUhnigsGCxmLHNQXvB",
  values: "IwT",
  long: {
    all: "a",
    "almost-all": "A",
    recursive: "R",
    directory: "d",
    classify: "F",
    reverse: "r",
    "human-readable": "h",
    color: "G",
    "group-directories-first": "dirs",
    "full-time": "full",
    "time-style": "style=",
    sort: "by=",
    inode: "i",
    size: "s",
    "quote-name": "Q",
    "numeric-uid-gid": "n",
    "no-group": "o",
    "ignore-backups": "B",
    ignore: "I=",
    hide: "hide=",
  },
}

interface Entry {
  readonly name: string
  readonly kind: "file" | "directory" | "link"
  readonly mode: number
  readonly size: number
  readonly mtime: Date
  readonly target: string | null
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const HALF_A_YEAR_MS = 15_778_476_000

/** The short option for each value of `--sort`. */
const SORTS: Readonly<Record<string, string>> = { none: "U", size: "S", time: "t", extension: "X", version: "v" }

const extensionOf = (name: string): string => (name.lastIndexOf(".") === -1 ? "" : name.slice(name.lastIndexOf(".")))
const byExtension = (a: Entry, b: Entry): number => {
  const [left, right] = [extensionOf(a.name), extensionOf(b.name)]
  return left < right ? -1 : left > right ? 1 : byName(a, b)
}

/** Compares runs of digits as numbers. */
const byVersion = (a: Entry, b: Entry): number => {
  const [left, right] = [a.name, b.name].map((name) => name.match(/\d+|\D+/g) ?? [])
  for (const [at, part] of (left ?? []).entries()) {
    const other = right?.[at] ?? ""
    const numbers = Number(part) - Number(other)
    if (numbers !== 0 && !Number.isNaN(numbers) && other !== "") return numbers
    if (part !== other) return part < other ? -1 : 1
  }
  return byName(a, b)
}

const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

const modeText = ({ kind, mode }: Entry): string => {
  const letters = kind === "link" ? "rwxrwxrwx" : ""
  const bits = Array.from("rwxrwxrwx", (letter, at) => ((mode >> (8 - at)) & 1 ? letter : "-")).join("")
  return `${kind === "directory" ? "d" : kind === "link" ? "l" : "-"}${letters || bits}`
}

const human = (size: number): string => {
  let rest = size
  let unit = ""
  for (const next of ["K", "M", "G"]) {
    if (rest < 1024) break
    rest /= 1024
    unit = next
  }
  if (unit === "") return String(size)
  return rest < 10 ? `${(Math.ceil(rest * 10) / 10).toFixed(1)}${unit}` : `${Math.ceil(rest)}${unit}`
}

const STYLES: Readonly<Record<string, string>> = {
  "full-iso": "+%Y-%m-%d %H:%M:%S.fraction %z",
  "long-iso": "+%Y-%m-%d %H:%M",
  locale: "",
}

/** The format of times; empty for the default format. */
const styleOf = (options: Options): string => {
  const style = options.has("full") ? "full-iso" : (options.value("style") ?? "locale").replace(/^posix-/, "")
  if (style.startsWith("+")) return style
  return ownValue(STYLES, style) ?? unknownValue(style, "--time-style", [...Object.keys(STYLES), "+FORMAT"])
}

const unknownValue = (value: string, option: string, known: ReadonlyArray<string>): never => {
  throw new UsageError(`invalid argument '${value}' for '${option}'; this ls knows ${known.join(", ")}`)
}

const timeText = (time: Date, now: number, style: string): string => {
  if (style !== "") {
    const nanoseconds = `${String(time.getUTCMilliseconds()).padStart(3, "0")}000000`
    return formatTime(Math.floor(time.getTime() / 1000), style.slice(1).replace("fraction", nanoseconds))
  }
  const day = `${MONTHS[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2)}`
  const age = now - time.getTime()
  const two = (part: number): string => String(part).padStart(2, "0")
  if (age > HALF_A_YEAR_MS || age < 0) return `${day}  ${time.getUTCFullYear()}`
  return `${day} ${two(time.getUTCHours())}:${two(time.getUTCMinutes())}`
}

const entryOf = async (context: Context, path: string, name: string, follow: boolean): Promise<Entry> => {
  const own = await context.fs.lstat(path)
  const stat = own.isSymbolicLink && follow && (await context.fs.exists(path)) ? await context.fs.stat(path) : own
  const target = stat.isSymbolicLink ? await context.fs.readlink(path) : null
  const kind = stat.isSymbolicLink ? "link" : stat.isDirectory ? "directory" : "file"
  const size = target === null ? (kind === "directory" ? 4096 : stat.size) : target.length
  return { name, kind, mode: stat.mode, size, mtime: stat.mtime, target }
}

/** One run of ls: its options and its output. */
class Listing {
  readonly #options: Options
  readonly #context: Context
  readonly #now = Date.now()
  /** Whether lines show modes, owners, sizes and times. */
  readonly #long: boolean
  readonly #titled: boolean
  readonly #style: string
  readonly #blocks: Array<string> = []
  #errors = ""

  constructor(options: Options, context: Context) {
    this.#options = options
    this.#context = context
    this.#long = ["l", "o", "n", "g", "full"].some((name) => options.has(name))
    this.#style = styleOf(options)
    const by = options.value("by") ?? "none"
    if (!Object.hasOwn(SORTS, by)) unknownValue(by, "--sort", Object.keys(SORTS))
    this.#titled = options.operands.length > 1 || options.has("R")
  }

  async run() {
    const { has, operands } = this.#options
    const { files, directories } = await this.#sortOperands(operands.length === 0 ? ["."] : operands)
    if (files.length > 0) this.#blocks.push(this.#show(this.#sorted(files)))
    directories.sort()
    if (has("r")) directories.reverse()
    for (const name of directories) await this.#list(name)
    const code = this.#errors === "" ? 0 : 2
    return { ...bytes(this.#blocks.join("\n"), this.#errors, code), stdoutKind: "text" as const }
  }

  /** Separates operands that are listed as files from directories whose content is listed. */
  async #sortOperands(operands: ReadonlyArray<string>) {
    const { has } = this.#options
    const files: Array<Entry> = []
    const directories: Array<string> = []
    // A link to a directory is followed, unless an option requests the link itself.
    const follow = !(has("d") || has("F") || this.#long) || has("L") || has("H")
    for (const name of operands) {
      try {
        const path = this.#context.fs.resolvePath(this.#context.cwd, name)
        const entry = await entryOf(this.#context, path, name, follow)
        const inside = name.endsWith("/") && (await this.#context.fs.stat(path)).isDirectory
        if ((entry.kind === "directory" || inside) && !has("d")) directories.push(name)
        else files.push(entry)
      } catch (error) {
        this.#errors += `ls: cannot access '${name}': ${why(error)}\n`
      }
    }
    return { files, directories }
  }

  async #list(name: string): Promise<void> {
    const { has } = this.#options
    const path = this.#context.fs.resolvePath(this.#context.cwd, name)
    const shown = this.#sorted(await this.#entriesIn(path))
    const kilobytes = shown.reduce((sum, { kind, size }) => sum + (kind === "link" ? 0 : Math.ceil(size / 4096) * 4), 0)
    const title = this.#titled ? `${name}:\n` : ""
    this.#blocks.push(`${title}${this.#long ? `total ${kilobytes}\n` : ""}${this.#show(shown)}`)
    if (!has("R")) return
    for (const { name: inner, kind } of shown) {
      if (kind !== "directory" || inner === "." || inner === "..") continue
      await this.#list(name.endsWith("/") ? `${name}${inner}` : `${name}/${inner}`)
    }
  }

  async #entriesIn(path: string): Promise<Array<Entry>> {
    const { has } = this.#options
    const { fs, executionScope } = this.#context
    const entries: Array<Entry> = []
    const hides = has("a") || has("A") ? [] : this.#options.all("hide")
    const ignored = [...this.#options.all("I"), ...hides].map((glob) => globMatcher(glob, false))
    const found = await fs.readdir(path)
    executionScope?.consumeWork(found.length + 1, "ls")
    for (const inner of found) {
      if (inner.startsWith(".") && !has("a") && !has("A")) continue
      if (inner.endsWith("~") && has("B")) continue
      if (ignored.some((matches) => matches(inner))) continue
      entries.push(await entryOf(this.#context, fs.resolvePath(path, inner), inner, has("L")))
    }
    if (has("a")) {
      const self = { ...(await entryOf(this.#context, path, ".", true)), name: "." }
      entries.push(self, { ...self, name: ".." })
    }
    return entries
  }

  #sorted(entries: Array<Entry>): Array<Entry> {
    const { has } = this.#options
    const by = SORTS[this.#options.value("by") ?? ""]
    if (has("U") || by === "U") return entries
    entries.sort(byName)
    if (has("S") || by === "S") entries.sort((a, b) => b.size - a.size || byName(a, b))
    else if (has("t") || by === "t") entries.sort((a, b) => +b.mtime - +a.mtime || byName(a, b))
    else if (has("X") || by === "X") entries.sort(byExtension)
    else if (has("v") || by === "v") entries.sort(byVersion)
    if (has("r")) entries.reverse()
    if (has("dirs")) entries.sort((a, b) => Number(b.kind === "directory") - Number(a.kind === "directory"))
    return entries
  }

  /** The indicator after a name: `/` for a directory, `@` for a link, `*` for a program. */
  #mark({ kind, mode }: Entry): string {
    const { has } = this.#options
    if (kind === "directory" && (has("F") || has("p"))) return "/"
    if (!has("F")) return ""
    return kind === "link" ? (has("l") ? "" : "@") : kind === "file" && (mode & 0o111) !== 0 ? "*" : ""
  }

  /** The start of a line with `-i` and `-s`. The workspace has no inodes. */
  #before({ kind, size }: Entry): string {
    const { has } = this.#options
    const blocks = kind === "link" ? 0 : Math.ceil(size / 4096) * 4
    return (has("i") ? "0 " : "") + (has("s") ? `${blocks} ` : "")
  }

  #name(entry: Entry): string {
    const name = this.#options.has("Q") ? `"${entry.name.replace(/["\\]/g, "\\$&")}"` : entry.name
    return (this.#long ? "" : this.#before(entry)) + name + this.#mark(entry)
  }

  #show(entries: ReadonlyArray<Entry>): string {
    const { has } = this.#options
    const names = entries.map((entry) => this.#name(entry))
    if (!this.#long && has("m")) return names.length === 0 ? "" : `${names.join(", ")}\n`
    if (!this.#long) return names.map((name) => `${name}\n`).join("")
    const sizes = entries.map(({ size }) => (has("h") ? human(size) : String(size)))
    const width = sizes.reduce((most, text) => Math.max(most, text.length), 0)
    const owner = has("n") ? "1000 1000" : has("o") || has("g") ? "user" : "user user"
    return entries
      .map((entry, at) => {
        const arrow = entry.target === null ? "" : ` -> ${entry.target}`
        const size = (sizes[at] ?? "").padStart(width)
        const links = entry.kind === "directory" ? 2 : 1
        const time = timeText(entry.mtime, this.#now, this.#style)
        return `${this.#before(entry)}${modeText(entry)} ${links} ${owner} ${size} ${time} ${names[at]}${arrow}\n`
      })
      .join("")
  }
}

export const lsProgram = program(
  "ls",
  async (args, context) => {
    // The output has no colours: `--color` and `--color=WHEN` are accepted and ignored.
    const plain = args.map((arg) => arg.replace(/^--color=.*$/, "--color"))
    return new Listing(readOptions(plain, OPTIONS), context).run()
  },
  2,
)
