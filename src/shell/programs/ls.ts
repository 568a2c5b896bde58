// ls, as GNU's when its output is no terminal: one name a line, long lines with widths, -R, -d, -p, -F.
// Invariant: files named on the command line come first, then each directory under its name.
import { bytes, type Context, program, readOptions, why } from "./program.ts"

const OPTIONS = {
  flags: "aAlo1RdpFrtSUhnigsGCxmLHNQ",
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
    "full-time": "l",
    "time-style": "T=",
    sort: "by=",
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

const timeText = (time: Date, now: number): string => {
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

export const lsProgram = program(
  "ls",
  async (args, context) => {
    // A colour can't be shown: `--color` and `--color=auto` are taken and do nothing.
    const options = readOptions(
      args.map((arg) => arg.replace(/^--color=.*$/, "--color")),
      OPTIONS,
    )
    const { has } = options
    const now = Date.now()
    const sorted = (entries: Array<Entry>): Array<Entry> => {
      const by = options.value("by")
      if (has("U")) return entries
      entries.sort(byName)
      if (has("S") || by === "size") entries.sort((a, b) => b.size - a.size || byName(a, b))
      else if (has("t") || by === "time") entries.sort((a, b) => +b.mtime - +a.mtime || byName(a, b))
      if (has("r")) entries.reverse()
      if (has("dirs")) entries.sort((a, b) => Number(b.kind === "directory") - Number(a.kind === "directory"))
      return entries
    }
    const mark = ({ kind, mode }: Entry): string => {
      if (kind === "directory" && (has("F") || has("p"))) return "/"
      if (!has("F")) return ""
      return kind === "link" ? (has("l") ? "" : "@") : kind === "file" && (mode & 0o111) !== 0 ? "*" : ""
    }
    const show = (entries: ReadonlyArray<Entry>): string => {
      const names = entries.map((entry) => entry.name + mark(entry))
      const long = has("l") || has("o") || has("n") || has("g")
      if (!long && has("m")) return names.length === 0 ? "" : `${names.join(", ")}\n`
      if (!long) return names.map((name) => `${name}\n`).join("")
      const sizes = entries.map(({ size }) => (has("h") ? human(size) : String(size)))
      const width = sizes.reduce((most, text) => Math.max(most, text.length), 0)
      return entries
        .map((entry, at) => {
          const owner = has("n") ? "1000 1000" : has("o") || has("g") ? "user" : "user user"
          const arrow = entry.target === null ? "" : ` -> ${entry.target}`
          const size = (sizes[at] ?? "").padStart(width)
          const links = entry.kind === "directory" ? 2 : 1
          return `${modeText(entry)} ${links} ${owner} ${size} ${timeText(entry.mtime, now)} ${names[at]}${arrow}\n`
        })
        .join("")
    }
    let stderr = ""
    const files: Array<Entry> = []
    const directories: Array<string> = []
    const long = has("l") || has("o") || has("n") || has("g")
    for (const name of options.operands.length === 0 ? ["."] : options.operands) {
      try {
        const path = context.fs.resolvePath(context.cwd, name)
        // A link to a directory is gone into, unless the link itself is asked for.
        const entry = await entryOf(context, path, name, !(has("d") || has("F") || long) || has("L") || has("H"))
        const inside = name.endsWith("/") && (await context.fs.stat(path)).isDirectory
        if ((entry.kind === "directory" || inside) && !has("d")) directories.push(name)
        else files.push(entry)
      } catch (error) {
        stderr += `ls: cannot access '${name}': ${why(error)}\n`
      }
    }
    const code = stderr === "" ? 0 : 2
    const blocks: Array<string> = files.length === 0 ? [] : [show(sorted(files))]
    const titled = options.operands.length > 1 || has("R")
    directories.sort()
    if (has("r")) directories.reverse()
    const list = async (name: string): Promise<void> => {
      const path = context.fs.resolvePath(context.cwd, name)
      const entries: Array<Entry> = []
      const found = await context.fs.readdir(path)
      context.executionScope?.consumeWork(found.length + 1, "ls")
      for (const inner of found) {
        if (inner.startsWith(".") && !has("a") && !has("A")) continue
        entries.push(await entryOf(context, context.fs.resolvePath(path, inner), inner, has("L")))
      }
      if (has("a")) {
        const self = { ...(await entryOf(context, path, ".", true)), name: "." }
        entries.push(self, { ...self, name: ".." })
      }
      const shown = sorted(entries)
      const kilobytes = shown.reduce(
        (sum, { kind, size }) => sum + (kind === "link" ? 0 : Math.ceil(size / 4096) * 4),
        0,
      )
      blocks.push(`${titled ? `${name}:\n` : ""}${long ? `total ${kilobytes}\n` : ""}${show(shown)}`)
      if (!has("R")) return
      for (const { name: inner, kind } of shown) {
        if (kind !== "directory" || inner === "." || inner === "..") continue
        await list(name.endsWith("/") ? `${name}${inner}` : `${name}/${inner}`)
      }
    }
    for (const name of directories) await list(name)
    return { ...bytes(blocks.join("\n"), stderr, code), stdoutKind: "text" as const }
  },
  2,
)
