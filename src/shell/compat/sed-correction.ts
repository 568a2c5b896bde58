// sed as Debian's takes its options and scripts.
// Invariant: what is not known here goes to the program as it was written.
import type { Correct } from "./correction.ts"
import { scriptForSed } from "../syntax/sed-script.ts"

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
