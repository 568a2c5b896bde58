// Makes the shell's own programs take what Debian's take: options written together, and options that they lack.
// Receives a program's words; hands them on in the form that the program knows, or puts its output right.
// Invariant: what is not known here goes to the program as it was written.
import { type Command, defineCommand, type ExecResult } from "just-bash/browser"
import { extendedOf } from "./shell-patterns.ts"
import { bytes, type Context, stdinOf, why } from "./shell-program.ts"
import { filterForJq } from "./shell-jq-filter.ts"

type Original = (args: Array<string>) => Promise<ExecResult>
type Correct = (args: ReadonlyArray<string>, original: Original, context: Context) => Promise<ExecResult>

const corrected = (name: string, correct: Correct): Command =>
  defineCommand(name, async (args, context) => {
    const original = context.origCommand
    if (original === undefined) return bytes("", `${name}: command not found\n`, 127)
    return correct(args, original, context)
  })

/** Splits `-abVALUE` into `-a -b VALUE`. */
const separated = (args: ReadonlyArray<string>, values: string, flags: string): Array<string> => {
  const result: Array<string> = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    const isOption = arg.length > 1 && arg.startsWith("-") && !arg.startsWith("--")
    if (arg === "--") return [...result, ...args.slice(at)]
    if (!isOption) {
      result.push(arg)
      continue
    }
    const parts: Array<string> = []
    let letter = 1
    let takes = false
    for (; letter < arg.length && flags.includes(arg.charAt(letter)); letter += 1) parts.push(`-${arg.charAt(letter)}`)
    if (letter < arg.length) {
      if (!values.includes(arg.charAt(letter))) {
        result.push(arg)
        continue
      }
      parts.push(`-${arg.charAt(letter)}`)
      if (letter + 1 < arg.length) parts.push(arg.slice(letter + 1))
      else takes = true
    }
    result.push(...parts)
    if (takes && at + 1 < args.length) result.push(args[(at += 1)] ?? "")
  }
  return result
}

/** Without a file, paste reads what is piped to it. */
const paste: Correct = (args, original) => {
  const words = separated(args, "d", "sz")
  const named = words.some((word, at) => (word === "-" || !word.startsWith("-")) && words[at - 1] !== "-d")
  return original(named ? words : [...words, "-"])
}

const ESCAPE = /\\\\|\\([0-7]{1,3})/g

/** Octal escapes are put in as the characters that they mean. */
const tr: Correct = (args, original) =>
  original(
    args.map((arg) =>
      arg.replace(ESCAPE, (all, digits) =>
        typeof digits === "string" ? String.fromCharCode(Number.parseInt(digits, 8)) : all,
      ),
    ),
  )

/** `--complement` and `--output-delimiter` are worked out here, over fields. */
const cut: Correct = async (args, original, context) => {
  const words = separated(args, "dfcb", "sz").flatMap((arg) => {
    const long = /^--(fields|delimiter|characters|bytes)=([\s\S]*)$/.exec(arg)
    return long === null ? [arg] : [`-${(long[1] ?? "f").charAt(0)}`, long[2] ?? ""]
  })
  const complement = words.includes("--complement")
  const given = words.find((word) => word.startsWith("--output-delimiter"))
  if (!complement && given === undefined) return original(words)
  const rest = words.filter((word) => word !== "--complement" && word !== given)
  const fieldsAt = rest.indexOf("-f")
  const delimiterAt = rest.indexOf("-d")
  const delimiter = delimiterAt === -1 ? "\t" : (rest[delimiterAt + 1] ?? "\t")
  if (fieldsAt === -1) return original(words)
  const spans = (rest[fieldsAt + 1] ?? "").split(",").map((span) => {
    const [, from = "", dash, to = ""] = /^(\d*)(-?)(\d*)$/.exec(span) ?? []
    const first = from === "" ? 1 : Number(from)
    return [first, dash !== "-" ? first : to === "" ? Number.POSITIVE_INFINITY : Number(to)] as const
  })
  const taken = [fieldsAt, fieldsAt + 1, ...(delimiterAt === -1 ? [] : [delimiterAt, delimiterAt + 1])]
  const others = rest.filter((_, at) => !taken.includes(at))
  const all = await original(["-d", delimiter, "-f", "1-", ...others])
  if (all.exitCode !== 0) return all
  const output = given?.includes("=") === true ? given.slice(given.indexOf("=") + 1) : delimiter
  context.executionScope?.consumeInput(all.stdout.length, "cut")
  const lines = all.stdout.split("\n").map((line) => {
    if (!line.includes(delimiter)) return line
    const chosen = (at: number): boolean => spans.some(([from, to]) => at >= from && at <= to)
    return line
      .split(delimiter)
      .filter((_, at) => chosen(at + 1) !== complement)
      .join(output)
  })
  return { ...all, stdout: lines.join("\n") }
}

/** `head -n -8` is all but the last eight lines. */
const head: Correct = async (args, original, context) => {
  const words = separated(args, "nc", "qvz")
  const at = words.findIndex((word, index) => word === "-n" && /^-\d+$/.test(words[index + 1] ?? ""))
  if (at === -1) return original(words)
  const left = Number((words[at + 1] ?? "-0").slice(1))
  const names = words.filter((_, index) => index !== at && index !== at + 1)
  const all = await original(["-n", "999999999", ...names])
  if (all.exitCode !== 0 || names.filter((name) => !name.startsWith("-")).length > 1) return all
  context.executionScope?.consumeInput(all.stdout.length, "head")
  const lines = all.stdout.split("\n")
  const ended = lines.at(-1) === ""
  const kept = lines.slice(0, Math.max(0, lines.length - (ended ? 1 : 0) - left))
  return { ...all, stdout: kept.map((line) => `${line}\n`).join("") }
}

/** Basic patterns go as extended ones; several are alternatives; `-s` keeps the exit code of a missing file. */
const grep =
  (dialect: "basic" | "extended" | "fixed"): Correct =>
  async (args, original) => {
    const words = separated(args, "efmABCd", "EFGPivwxcloqsnHhrRLabzyIUT")
    const patterns: Array<string> = []
    const operands: Array<string> = []
    const rest: Array<string> = []
    let fromFile = false
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? ""
      if (word === "--") {
        operands.push(...words.slice(at + 1))
        break
      }
      if (word === "-e") patterns.push(words[(at += 1)] ?? "")
      else if (word.startsWith("--regexp=")) patterns.push(word.slice(9))
      else if (/^-[fmABCd]$/.test(word)) {
        rest.push(word, words[(at += 1)] ?? "")
        if (word === "-f") fromFile = true
      } else if (word.startsWith("-") && word !== "-") rest.push(word)
      else operands.push(word)
    }
    const chosen = rest.findLast((word) => /^-[EFGP]$/.test(word) || /^--(?:extended|fixed|perl|basic)/.test(word))
    const fixed = chosen === undefined ? dialect === "fixed" : /F|fixed/.test(chosen)
    const basic = chosen === undefined ? dialect === "basic" : /G|basic/.test(chosen)
    if (fromFile || (fixed && patterns.length < 2)) return quietly(words, original)
    if (patterns.length === 0 && operands.length > 0) patterns.push(operands.shift() ?? "")
    if (patterns.length === 0) return quietly(words, original)
    const extended = fixed
      ? patterns.map((text) => text.replace(/[.[\]{}()*+?^$|\\]/g, "\\$&"))
      : basic
        ? patterns.map(extendedOf)
        : patterns
    const [only = ""] = extended
    const pattern = extended.length === 1 ? only : extended.map((text) => `(${text})`).join("|")
    const perl = chosen === "-P" || chosen?.startsWith("--perl") === true
    const options = rest.filter((word) => !/^-[EFG]$/.test(word) && !/^--(?:extended|fixed|basic)/.test(word))
    return quietly([...(perl ? [] : ["-E"]), ...options, "-e", pattern, "--", ...operands], original)
  }

const quietly = async (words: Array<string>, original: Original): Promise<ExecResult> => {
  if (!words.includes("-s")) return original(words)
  const result = await original(words.filter((word) => word !== "-s"))
  const missing = /^e?f?grep: .*(?:No such file|Is a directory)/m.test(result.stderr)
  return missing ? { ...result, stderr: "", exitCode: result.exitCode === 0 ? 0 : 2 } : result
}

/** `-i.bak` keeps a copy; `-s` takes each file by itself. */
const sed: Correct = async (args, original, context) => {
  const suffix = args.map((arg) => /^(?:-i|--in-place=)(.+)$/.exec(arg)?.[1]).find((found) => found !== undefined)
  const words = args.map((arg) => (/^(?:-i.+|--in-place(?:=.*)?)$/.test(arg) ? "-i" : arg))
  const scripted = words.some((word) => /^(?:-[nEr]*[ef]$|--expression|--file)/.test(word))
  const operands = words.filter((word, at) => !word.startsWith("-") && !/^-[nEr]*[ef]$/.test(words[at - 1] ?? ""))
  const files = scripted ? operands : operands.slice(1)
  if (suffix !== undefined) {
    for (const file of files) {
      const path = context.fs.resolvePath(context.cwd, file)
      const backup = suffix.includes("*") ? suffix.replaceAll("*", file) : `${file}${suffix}`
      if (!(await context.fs.exists(path))) continue
      await context.fs.writeFile(context.fs.resolvePath(context.cwd, backup), await context.fs.readFileBuffer(path))
    }
  }
  const separate = words.some((word) => word === "-s" || word === "--separate")
  if (!separate || files.length < 2) return original(words.filter((word) => word !== "-s" && word !== "--separate"))
  const common = words.filter((word) => word !== "-s" && word !== "--separate" && !files.includes(word))
  let [stdout, stderr, exitCode] = ["", "", 0]
  for (const file of files) {
    const one = await original([...common, file])
    stdout += one.stdout
    stderr += one.stderr
    exitCode = Math.max(exitCode, one.exitCode)
  }
  return { stdout, stderr, exitCode }
}

/** A program that does not parse is the exit code 2. */
const awk: Correct = async (args, original) => {
  const result = await original([...args])
  return result.exitCode === 1 && /^awk: .* at line \d+/.test(result.stderr) ? { ...result, exitCode: 2 } : result
}

const JQ_VALUES: ReadonlySet<string> = new Set(["--arg", "--argjson", "--slurpfile", "--rawfile"])

const jq: Correct = async (args, original) => {
  const words: Array<string> = []
  let filtered = false
  let indent = 2
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (JQ_VALUES.has(arg)) {
      words.push(arg, args[at + 1] ?? "", args[at + 2] ?? "")
      at += 2
    } else if (arg === "--indent") indent = Number(args[(at += 1)])
    else if (arg.startsWith("-") && arg !== "-") words.push(arg)
    else if (filtered) words.push(arg)
    else {
      words.push(filterForJq(arg))
      filtered = true
    }
  }
  const result = await original(words)
  const broken = result.exitCode === 5 && /parse error: (?:Unexpected|Invalid|Unfinished)/.test(result.stderr)
  const stdout =
    indent === 2
      ? result.stdout
      : result.stdout.replace(/^( {2})+/gm, (blanks) => " ".repeat((blanks.length / 2) * indent))
  const stderr = result.stderr.replace(/Maximum call stack size exceeded/g, "error: the filter calls itself too deeply")
  return { ...result, stdout, stderr, ...(broken ? { exitCode: 4 } : {}) }
}

/** `-P` and `-a` copy a link as a link. */
const cp: Correct = async (args, original, context) => {
  const all = args.some((arg) => /^-[a-zA-Z]*a/.test(arg) || arg === "--archive")
  const links = all || args.some((arg) => /^-[a-zA-Z]*[Pd]/.test(arg) || arg === "--no-dereference")
  const words = args.flatMap((arg) => {
    if (arg === "--archive") return ["-r"]
    if (arg === "--no-dereference") return []
    if (!/^-[a-zA-Z]+$/.test(arg)) return [arg]
    const kept = arg.replace("a", "r").replace(/[PdT]/g, "")
    return kept === "-" ? [] : [kept]
  })
  const operands = words.filter((word) => !word.startsWith("-"))
  const target = operands.at(-1)
  if (!links || target === undefined || operands.length < 2) return original(words)
  const targetPath = context.fs.resolvePath(context.cwd, target)
  const into = (await context.fs.exists(targetPath)) && (await context.fs.stat(targetPath)).isDirectory
  const others: Array<string> = []
  for (const name of operands.slice(0, -1)) {
    const path = context.fs.resolvePath(context.cwd, name)
    const found = await context.fs.lstat(path).catch(() => null)
    if (found === null || !found.isSymbolicLink) {
      others.push(name)
      continue
    }
    const place = into ? `${targetPath}/${name.slice(name.lastIndexOf("/") + 1)}` : targetPath
    await context.fs.rm(place, { force: true })
    await context.fs.symlink(await context.fs.readlink(path), place)
  }
  if (others.length === 0) return bytes("")
  return original([...words.filter((word) => word.startsWith("-")), ...others, target])
}

/** A link whose place is a directory is made inside it. */
const ln: Correct = async (args, original, context) => {
  const operands = args.filter((arg) => !arg.startsWith("-"))
  const options = args.filter((arg) => arg.startsWith("-"))
  const place = operands.at(-1)
  const plain = options.some((option) => /^-[a-z]*[nT]/.test(option))
  if (operands.length < 2 || place === undefined || plain) return original([...args])
  const path = context.fs.resolvePath(context.cwd, place)
  const directory = (await context.fs.exists(path)) && (await context.fs.stat(path)).isDirectory
  if (!directory) return original([...args])
  let [stderr, exitCode] = ["", 0]
  for (const target of operands.slice(0, -1)) {
    const made = await original([...options, target, `${place}/${target.slice(target.lastIndexOf("/") + 1)}`])
    stderr += made.stderr
    exitCode = Math.max(exitCode, made.exitCode)
  }
  return bytes("", stderr, exitCode)
}

/** `env -i A=1 env` shows what was given and nothing that the shell itself keeps. */
const env: Correct = async (args, original) => {
  const given = args.slice(1).filter((arg) => arg.includes("="))
  const rest = args.slice(1).filter((arg) => !arg.includes("="))
  const emptied = args[0] === "-i" || args[0] === "-" || args[0] === "--ignore-environment"
  const lists = rest.length === 0 || (rest.length === 1 && (rest[0] === "env" || rest[0] === "printenv"))
  if (!emptied || !lists) return original([...args])
  return { stdout: given.map((pair) => `${pair}\n`).join(""), stderr: "", exitCode: 0 }
}

const nl: Correct = async (args, original) => {
  const result = await original(separated(args, "bwsvinhfl", "p"))
  const width = Number(
    separated(args, "bwsvinhfl", "p")
      .join(" ")
      .match(/-w (\d+)/)?.[1] ?? 6,
  )
  // A line without a number is blanks as wide as a number and its separator.
  return { ...result, stdout: result.stdout.replace(/^ +\t$/gm, " ".repeat(width + 1)) }
}

/** Bytes in hexadecimal are worked out here. */
const od: Correct = async (args, original, context) => {
  const hexadecimal = args.some((arg) => /^(?:-[A-Za-z]*tx1|x1|-tx1)$/.test(arg))
  const plain = args.some((arg, at) => arg === "-An" || (arg === "-A" && args[at + 1] === "n"))
  const names = args.filter((arg, at) => !arg.startsWith("-") && !["-A", "-t", "-N", "-j"].includes(args[at - 1] ?? ""))
  const shaped = args.some((arg) => /^-[Njwv]/.test(arg))
  if (!hexadecimal || shaped || names.length > 1) {
    const result = await original([...args])
    if (!args.includes("-c")) return result
    return { ...result, stdout: result.stdout.replace(/^(\d{7}) {4}/gm, "$1   ") }
  }
  const [name = "-"] = names
  let text: string
  try {
    const path = context.fs.resolvePath(context.cwd, name)
    text = name === "-" ? stdinOf(context) : Buffer.from(await context.fs.readFileBuffer(path)).toString("latin1")
  } catch (error) {
    return bytes("", `od: ${name}: ${why(error)}\n`, 1)
  }
  context.executionScope?.consumeInput(text.length, "od")
  const place = (at: number): string => (plain ? "" : at.toString(8).padStart(7, "0"))
  let shown = ""
  for (let at = 0; at < text.length; at += 16) {
    const row = Array.from(text.slice(at, at + 16), (byte) => ` ${byte.charCodeAt(0).toString(16).padStart(2, "0")}`)
    shown += `${place(at)}${row.join("")}\n`
  }
  return bytes(plain ? shown : `${shown}${place(text.length)}\n`)
}

export const CORRECTIONS: ReadonlyArray<Command> = [
  corrected("tr", tr),
  corrected("paste", paste),
  corrected("cut", cut),
  corrected("head", head),
  corrected("grep", grep("basic")),
  corrected("egrep", grep("extended")),
  corrected("fgrep", grep("fixed")),
  corrected("sed", sed),
  corrected("awk", awk),
  corrected("jq", jq),
  corrected("cp", cp),
  corrected("ln", ln),
  corrected("env", env),
  corrected("nl", nl),
  corrected("od", od),
]
