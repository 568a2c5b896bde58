// What the commands of a shell script do: only read, edit files, or something that is not known.
// Receives a script that was read by shell-script; answers "no" whenever it is not sure.
import { touchedPath } from "./file-access.ts"
import type { ShellCommand, ShellScript } from "./shell-script.ts"

type Args = ReadonlyArray<string>

const none = (args: Args, options: RegExp): boolean => !args.some((arg) => options.test(arg))
const operands = (args: Args): Args => args.filter((arg) => !arg.startsWith("-") || arg === "-")

/** Commands that change nothing, with a check of their arguments where some would. */
const READERS: Readonly<Record<string, true | ((args: Args) => boolean)>> = {
  ":": true,
  "[": true,
  base64: true,
  basename: true,
  cat: true,
  cd: true,
  cmp: true,
  column: true,
  comm: true,
  cut: true,
  date: (args) => none(args, /^(?:-s|--set)/),
  diff: true,
  dirname: true,
  du: true,
  echo: true,
  egrep: true,
  expand: true,
  expr: true,
  false: true,
  fgrep: true,
  file: (args) => none(args, /^(?:-C|--compile)/),
  find: (args) => none(args, /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/),
  fold: true,
  git: (args) =>
    ["status", "log", "diff", "show", "rev-parse"].includes(args[0] ?? "") && none(args, /^--(?:output|ext-diff)/),
  grep: true,
  head: true,
  hostname: (args) => args.length === 0,
  join: true,
  jq: true,
  ls: true,
  md5sum: true,
  nl: true,
  od: true,
  paste: true,
  printenv: true,
  printf: true,
  pwd: true,
  readlink: true,
  realpath: true,
  rev: true,
  rg: (args) => none(args, /^--(?:pre|hostname-bin|search-zip)/),
  seq: true,
  sha1sum: true,
  sha256sum: true,
  sleep: true,
  sort: (args) => none(args, /^(?:-[a-zA-Z]*[oT]|--output|--temporary-directory|--compress-program)/),
  stat: true,
  strings: true,
  tac: true,
  tail: true,
  test: true,
  tr: true,
  tree: (args) => none(args, /^-[a-zA-Z]*o/),
  true: true,
  unexpand: true,
  uniq: (args) => operands(args).length <= 1,
  wc: true,
  which: true,
  whoami: true,
}

const EDITORS: ReadonlySet<string> = new Set(["mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"])

/** Commands that say nothing when all is well. */
const SILENT: ReadonlySet<string> = new Set([
  "mkdir",
  "touch",
  "rm",
  "rmdir",
  "mv",
  "cp",
  "chmod",
  "ln",
  "cd",
  "export",
  "unset",
  "true",
  ":",
  "wait",
])

/** Commands whose operands are no paths, and commands with that many operands before the first path. */
const NO_PATHS: ReadonlySet<string> = new Set([
  ":",
  "true",
  "false",
  "echo",
  "printf",
  "expr",
  "seq",
  "sleep",
  "date",
  "which",
  "whoami",
  "hostname",
  "printenv",
  "tr",
  "basename",
  "dirname",
  "git",
  "pwd",
])
const BEFORE_PATHS: Readonly<Record<string, number>> = {
  grep: 1,
  egrep: 1,
  fgrep: 1,
  rg: 1,
  jq: 1,
  awk: 1,
  sed: 1,
  chmod: 1,
}

const known = (words: ReadonlyArray<string | null>): words is Args => words.every((word) => word !== null)

const reads = (command: ShellCommand): boolean => {
  if (command.name === null || command.files.length > 0 || !Object.hasOwn(READERS, command.name)) return false
  const rule = READERS[command.name]
  if (rule === true) return true
  return rule !== undefined && known(command.args) && rule(command.args)
}

/** `sed -i` with plain substitutions or deletions; `w`, `e` and `r` could reach other files or programs. */
const isSedEdit = (args: Args): boolean => {
  if (none(args, /^(?:-[nErs]*i|--in-place)/) || !none(args, /^(?:-f|--file)/)) return false
  const script = operands(args)[0] ?? ""
  return /^(?:\d+(?:,(?:\d+|\$))?|\$)?(?:d|s([/|#,])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gIi0-9]*)$/.test(
    script,
  )
}

const edits = (command: ShellCommand): boolean => {
  if (command.name === null || command.files.length > 0 || !EDITORS.has(command.name) || !known(command.args))
    return false
  if (command.name === "rm" && operands(command.args).some((path) => /^(?:[.~*/]|\.\.|~\/|\.\/)*$/.test(path)))
    return false
  return command.name !== "sed" || isSedEdit(command.args)
}

/** True only if every command is known to change nothing. */
export const onlyReads = (script: ShellScript): boolean =>
  script.plain && script.commands.length > 0 && script.commands.every(reads)

/** True if the script edits files in ways that `acceptEdits` covers, and does nothing else but read. */
export const onlyEdits = (script: ShellScript): boolean =>
  script.plain && script.commands.some(edits) && script.commands.every((command) => reads(command) || edits(command))

export const saysNothing = (script: ShellScript): boolean =>
  script.commands.length > 0 &&
  script.commands.every((command) => command.name !== null && SILENT.has(command.name)) &&
  script.commands.every((command) => command.files.length === 0)

const home = (word: string, cwd: string): string =>
  word === "~" || word.startsWith("~/") ? `${cwd}${word.slice(1)}` : word

/** Operands that may be paths: all of them for known commands, those that look like paths for others. */
const pathOperands = (command: ShellCommand): ReadonlyArray<string | null> => {
  const { name, args } = command
  if (name === "find") {
    const first = args.findIndex((arg) => arg === null || arg.startsWith("-") || arg === "(" || arg === "!")
    return first === -1 ? args : args.slice(0, first)
  }
  const rest = args.filter((arg) => arg === null || !arg.startsWith("-"))
  if (name !== null && NO_PATHS.has(name)) return []
  if (name !== null && (Object.hasOwn(READERS, name) || EDITORS.has(name) || Object.hasOwn(BEFORE_PATHS, name))) {
    return rest.slice(Object.hasOwn(BEFORE_PATHS, name) ? BEFORE_PATHS[name] : 0)
  }
  return rest.filter((arg) => arg !== null && arg.includes("/"))
}

/** What lies before the first wildcard of a glob: the directory that it can reach. */
const fixedPart = (word: string): string => {
  const wild = word.search(/[*?[]/)
  return wild === -1 ? word : word.slice(0, word.lastIndexOf("/", wild) + 1) || "."
}

const MAX_PATHS = 200

/**
 * Absolute paths that the script names, a `cd` before them taken into account. A path that can't be known stands as
 * the root, so that no rule for the working directory covers it.
 */
export const pathsOf = (script: ShellScript, cwd: string): ReadonlyArray<string> => {
  const out = new Set<string>()
  let directory: string | null = cwd
  const resolve = (word: string | null): string =>
    word === null || directory === null ? "/" : touchedPath(fixedPart(home(word, cwd)), directory)
  for (const command of script.commands) {
    for (const word of [...pathOperands(command), ...command.files]) out.add(resolve(word))
    if (command.name === "cd") {
      const [to = "~"] = command.args.length === 0 ? ["~"] : command.args
      directory = to === null || to === "-" || directory === null ? null : touchedPath(home(to, cwd), directory)
      out.add(directory ?? "/")
    }
    if (out.size > MAX_PATHS) return ["/"]
  }
  return Array.from(out)
}
