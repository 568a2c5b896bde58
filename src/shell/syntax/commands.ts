// Classifies the commands of a shell script: reading only, editing files, or unknown.
// Receives commands that script.ts has read; returns false whenever it is not sure.
import type { ShellCommand, ShellScript } from "../shell-command.ts"
import { editingCommand, readingCommand } from "./wrappers.ts"

type Args = ReadonlyArray<string>

const none = (args: Args, options: RegExp): boolean => !args.some((arg) => options.test(arg))
const operands = (args: Args): Args => args.filter((arg) => !arg.startsWith("-") || arg === "-")

/** As the official SDK: commands that only report about the machine, with programs that this shell may lack. */
const REPORTS =
  /^(?:(?:cal|df|fmt|free|groups|help|history|locale|lsof|netstat|numfmt|pgrep|pr|ps|tput|uptime|docker (?:images|inspect|logs|ps))(?: [^$]*)?|man(?: -k)?(?: [^-$ ]+)+|ss(?: -[a-z]+)*|fd(?: (?!-[xX]|--exec)[^$ ]+)+|arch|ifconfig|ip addr|hostname -f|node -v|(?:node|python3?) --version)$/

/** As the official SDK: `xargs` with programs that only print. */
const PRINTS_INPUT = /^xargs(?: (?:-[IPLnsd] [^\s\\$-][^\s\\$]*|-[0rtx]|--))*(?: (?:echo|printf|wc)(?: [^$]*)?)?$/

/** As the official SDK: calls of git that only read. */
const READS_WITH_GIT =
  /^(?:blame|cat-file -[pts]|config --get|describe|diff|for-each-ref|grep|log|ls-files|merge-base|rev-list|rev-parse|shortlog|show|stash (?:list|show)|status|worktree list)(?: |$)|^(?:branch|remote|tag)(?: -(?:[alv]|-list))?$|^(?:ls-remote|reflog)$/

/**
 * Commands that change nothing; with a check of the arguments if some would change something, or would read a file that is
 * not among the operands.
 */
const READERS: Readonly<Record<string, true | ((args: Args) => boolean)>> = {
  "[": true,
  "[[": true,
  base64: true,
  basename: true,
  cat: true,
  cd: true,
  cmp: true,
  column: true,
  comm: true,
  cut: true,
  date: (args) => none(args, /^(?:-[a-zA-Z]*[sfr]|--set|--file|--reference)/),
  diff: (args) => none(args, /^--(?:from-file|to-file|exclude-from)/),
  dirname: true,
  du: (args) => none(args, /^(?:-[a-zA-Z]*X|--files0-from|--exclude-from)/),
  echo: true,
  egrep: (args) => none(args, /^(?:-[a-zA-Z]*f|--file)/),
  expand: true,
  expr: true,
  false: true,
  fgrep: (args) => none(args, /^(?:-[a-zA-Z]*f|--file)/),
  file: (args) => none(args, /^(?:-[a-zA-Z]*[Cfm]|--compile|--files-from|--magic-file)/),
  find: (args) =>
    none(
      args,
      /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls|files0-from|samefile|[ac]?newer(?![acBm]t$).*)$/,
    ),
  fold: true,
  git: (args) => READS_WITH_GIT.test(args.join(" ")) && none(args, /^(?:-O|--(?:output|ext-diff|open-files))/),
  grep: (args) => none(args, /^(?:-[a-zA-Z]*f|--file|--exclude-from)/),
  head: true,
  hexdump: (args) => none(args, /^(?:-[a-zA-Z]*f|--format-file)/),
  hostname: (args) => args.length === 0,
  id: true,
  jq: (args) => none(args, /^(?:-[a-zA-Z]*[fL]|--(?:from-file|slurpfile|rawfile|argfile|library-path))/),
  ls: true,
  md5sum: true,
  nl: true,
  nproc: true,
  od: true,
  paste: true,
  printf: true,
  pwd: true,
  readlink: true,
  realpath: true,
  rev: true,
  rg: (args) => none(args, /^(?:-[a-zA-Z]*[fz]|--(?:file|ignore-file|pre|hostname-bin|search-zip))/),
  sed: (args) => isSedRead(args),
  seq: true,
  sha1sum: true,
  sha224sum: true,
  sha256sum: true,
  sha512sum: true,
  sleep: true,
  sort: (args) =>
    none(args, /^(?:-[a-zA-Z]*[oT]|--(?:output|temporary-directory|compress-program|files0-from|random-source))/),
  stat: true,
  strings: true,
  tac: true,
  tail: true,
  test: true,
  tr: true,
  tree: (args) => none(args, /^(?:-[a-zA-Z]*o|--fromfile)/),
  true: true,
  tsort: true,
  type: true,
  uname: true,
  unexpand: true,
  uniq: (args) => args.every((arg, at) => arg.startsWith("-") || /^-[fsw]$/.test(args[at - 1] ?? "")),
  wc: (args) => none(args, /^--files0-from/),
  which: true,
  whoami: true,
}

/** Readers with options that only make them read more: a name of a file that a glob makes an option changes nothing. */
const READ_ANY: ReadonlySet<string> = new Set("diff du egrep fgrep grep wc".split(" "))

const EDITORS: ReadonlySet<string> = new Set(["mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"])

/** Commands that print nothing when they succeed. */
const SILENT: ReadonlySet<string> = new Set("mkdir touch rm rmdir mv cp chmod ln cd export unset wait".split(" "))

const known = (words: ReadonlyArray<string | null>): words is Args => words.every((word) => word !== null)

/** True only if the command itself is known to change nothing; its redirections are checked separately. */
export const isRead = (command: ShellCommand): boolean => {
  const { name, args, globs, text, words: shown } = readingCommand(command)
  if (name === null) return text === ""
  const plain = [name, ...shown.slice(1)].join(" ")
  if (REPORTS.test(plain) || PRINTS_INPUT.test(plain)) return true
  if (!Object.hasOwn(READERS, name)) return false
  const rule = READERS[name]
  if (rule === true) return true
  // As the official SDK, for a glob such as `*.txt`.
  const words = READ_ANY.has(name)
    ? args.map((arg, at) => arg ?? (globs[at]?.startsWith("-") === false ? globs[at] : null))
    : args
  return rule !== undefined && known(words) && rule(words)
}

const PLAIN_SED =
  /^(?:\d+(?:,(?:\d+|\$))?|\$)?(?:d|s([/|#,])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gIi0-9]*)$/

const PRINTS = /^\d+(?:,\d+)?p(?:; ?\d+(?:,\d+)?p)*$/
const SUBSTITUTES = /^s\/(?:[^/\\\n]|\\.)*\/(?:[^/\\\n]|\\.)*\/[gIi0-9]*$/

/** As the official SDK: true for `sed -n` that prints lines by their numbers, and for a substitution in what it reads from a pipe. */
const isSedRead = (args: Args): boolean => {
  const options = args.filter((arg) => arg.startsWith("-"))
  if (!options.every((option) => /^(?:-[nEr]+|--(?:quiet|silent|regexp-extended))$/.test(option))) return false
  const [script = "", ...files] = args.filter((arg) => !arg.startsWith("-"))
  const isQuiet = options.some((option) => /^-\w*n|^--(?:quiet|silent)/.test(option))
  return isQuiet ? PRINTS.test(script) : files.length === 0 && SUBSTITUTES.test(script)
}

/**
 * True for `sed -i` if each of its scripts is a plain substitution or deletion: `w`, `e` and `r` could reach other files or
 * programs, and an unknown option could be a script or a file name.
 */
const isSedEdit = (args: Args): boolean => {
  const scripts: Array<string> = []
  const others: Array<string> = []
  let inPlace = false
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (arg === "-e" || arg === "--expression") scripts.push(args[(at += 1)] ?? "")
    else if (/^-[nErs]*i$/.test(arg) || arg === "--in-place") inPlace = true
    else if (!arg.startsWith("-")) others.push(arg)
    else if (!/^-[nErs]+$/.test(arg)) return false
  }
  if (scripts.length === 0) scripts.push(others[0] ?? "")
  return inPlace && scripts.every((script) => PLAIN_SED.test(script))
}

/** Options that make a command write to a file that is not one of its operands. */
const WRITES_ELSEWHERE = /^(?:-[a-zA-Z]*[tSb]|--(?:target-directory|suffix|backup))/

/** Operands of `rm` that always require permission: everything in this directory, above it, or everywhere. */
const ALL_OF_IT = /^[.~*/]*$/

/** True if the command edits files in a way that `acceptEdits` covers. */
export const isEdit = (command: ShellCommand): boolean => {
  const { name, args } = editingCommand(command)
  if (name === null || !EDITORS.has(name) || !known(args)) return false
  // As the official SDK: only for a call that starts with this word.
  if (name === "touch" && (command.words[0] !== name || command.assigns === true)) return false
  if (name === "rm" && operands(args).some((path) => ALL_OF_IT.test(path))) return false
  if ((name === "cp" || name === "mv") && !none(args, WRITES_ELSEWHERE)) return false
  return name !== "sed" || isSedEdit(args)
}

/** True for the programs that read or edit files and do nothing else. */
export const isFileProgram = ({ name }: Pick<ShellCommand, "name">): boolean =>
  name !== null && (Object.hasOwn(READERS, name) || EDITORS.has(name) || name === "tee")

/** True only if every command is known to change nothing. */
export const onlyReads = ({ plain, commands }: ShellScript): boolean =>
  plain && commands.length > 0 && commands.every((command) => isRead(command) && command.to.length === 0)

/** True if the script edits files in ways that `acceptEdits` covers, and otherwise only reads. */
export const onlyEdits = (script: ShellScript): boolean =>
  script.plain &&
  script.commands.every((command) => isRead(command) || isEdit(command)) &&
  script.commands.some((command) => isEdit(command) || command.to.length > 0)

/** True if every command of the script prints nothing when it succeeds. */
export const printsNothing = ({ commands }: ShellScript): boolean =>
  commands.length > 0 &&
  commands.every(({ name, from, to }) => name !== null && SILENT.has(name) && from.length + to.length === 0)
