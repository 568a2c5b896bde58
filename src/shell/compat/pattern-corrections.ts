// grep and sed as Debian's take their options and patterns.
// Invariant: what is not known here goes to the program as it was written.
import type { ExecResult } from "just-bash/browser"
import { type Correct, type Original, separated } from "./correction.ts"
import { extendedOf } from "../syntax/patterns.ts"
import { scriptForSed } from "../syntax/sed-script.ts"

/** Basic patterns go as extended ones; several are alternatives; `-s` keeps the exit code of a missing file. */
export const grep =
  (dialect: "basic" | "extended" | "fixed"): Correct =>
  async (args, original) => {
    const plain = args.filter((arg) => !/^--colou?r(?:=|$)/.test(arg))
    const words = separated(plain, "efmABCd", "EFGPivwxcloqsnHhrRLabzyIUT")
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

/** The arguments with their scripts as the shell's sed reads them. */
const withScripts = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isNamed = (arg: string | undefined) => /^(?:-[nErsi]*e|--expression)$/.test(arg ?? "")
  const named = args.some((arg) => isNamed(arg) || /^(?:-[nErsi]*f|--expression=|--file)/.test(arg))
  const only = named ? -1 : args.findIndex((arg) => !arg.startsWith("-"))
  const last = args.findLastIndex(isNamed) + 1
  return args.map((arg, at) => {
    if (at === only || isNamed(args[at - 1])) return scriptForSed(arg, at < last)
    return arg.startsWith("--expression=") ? `--expression=${scriptForSed(arg.slice(13))}` : arg
  })
}

/** `$a\` adds no text, and ends the last line where it has no end. */
const ENDS_LINE = /(?:^|[\s;{])\$[ \t]*a[ \t]*\\$/

/** As GNU sed. */
export const sed: Correct = async (args, original, context) => {
  const result = await takenApart(withScripts(args), original, context)
  if (!args.some((arg) => ENDS_LINE.test(arg)) || result.exitCode !== 0) return result
  if (!args.some((arg) => /^(?:-[nErs]*i|--in-place)/.test(arg)))
    return /[^\n]$/.test(result.stdout) ? { ...result, stdout: `${result.stdout}\n` } : result
  for (const arg of args.filter((one) => !one.startsWith("-"))) {
    const path = context.fs.resolvePath(context.cwd, arg)
    const found = await context.fs.stat(path).catch(() => null)
    if (found?.isFile !== true || found.size === 0) continue
    if ((await context.fs.readFileBuffer(path)).at(-1) !== 0x0a) await context.fs.appendFile(path, "\n")
  }
  return result
}

/** `-i.bak` keeps a copy; `-s` takes each file by itself. */
const takenApart: Correct = async (args, original, context) => {
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
