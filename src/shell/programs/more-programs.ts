// Programs that inspect the shell's environment or run other programs: xargs, expr, stat and which, as in Debian.
// Invariant: they run commands through the shell, with its limits and its interrupt.
import { ownValue } from "../../schemas/own-value.ts"
import type { Command } from "just-bash/browser"
import { compile, extendedOf } from "../syntax/patterns.ts"
import { bytes, type Context, linesOf, program, readInput, readOptions, UsageError, why } from "./program.ts"
import { quotedWord } from "../syntax/quoted-word.ts"

const XARGS = {
  flags: "0rtx",
  values: "nILPsdaE",
  long: {
    null: "0",
    "no-run-if-empty": "r",
    verbose: "t",
    "arg-file": "a=",
    "max-args": "n=",
    "max-procs": "P=",
    delimiter: "d=",
    "max-lines": "L=",
    "max-chars": "s=",
    eof: "E=",
    exit: "x",
    replace: "I=",
  },
}

/** The index at which the command of xargs starts, after its options. */
const commandAt = (args: ReadonlyArray<string>): number => {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (!arg.startsWith("-") || arg === "-") return at
    if (/^-[0rtx]*[nILPsdaE]$/.test(arg)) at += 1
  }
  return args.length
}

/** A quote that is not closed in its line; null when there is none. */
const unmatched = (text: string): string | null => {
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letter === "\\") at += 1
    if (letter !== '"' && letter !== "'") continue
    const [close, line] = [text.indexOf(letter, at + 1), text.indexOf("\n", at + 1)]
    if (close === -1 || (line !== -1 && line < close)) return letter
    at = close
  }
  return null
}

/** Splits a text as xargs does: at blanks, except inside quotes and after backslashes. */
const wordsOf = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  const open = unmatched(text)
  if (open !== null)
    throw new UsageError(
      `unmatched ${open === '"' ? "double" : "single"} quote; by default quotes are special to xargs unless you use the -0 option`,
    )
  for (const [word] of text.matchAll(/(?:"[^"\n]*"|'[^'\n]*'|\\[\s\S]|[^\s"'\\])+/g))
    words.push(
      !/["'\\]/.test(word)
        ? word
        : word.replace(/"([^"\n]*)"|'([^'\n]*)'|\\([\s\S])/g, (_, a, b, c) => String(a ?? b ?? c ?? "")),
    )
  return words
}

const DELIMITERS: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\0": "\0" }

const decoded = (text: string): string => Buffer.from(text, "latin1").toString("utf8")

const xargs = program("xargs", async (args, context) => {
  const from = commandAt(args)
  // `-i` and `--replace` are short for `-I {}`.
  const given = args.slice(0, from).map((arg) => (arg === "-i" || arg === "--replace" ? "-I{}" : arg))
  const options = readOptions(given, XARGS)
  const command = from < args.length ? args.slice(from) : ["echo"]
  const placeholder = options.value("I")
  const delimiter = options.value("d")
  const file = options.value("a") ?? "-"
  const input = await readInput(context, file).then(decoded, (error: unknown) => {
    throw new UsageError(`Cannot open input file '${file}': ${why(error)}`)
  })
  const items = options.has("0")
    ? linesOf(input, "\0")
    : delimiter !== undefined
      ? linesOf(input, ownValue(DELIMITERS, delimiter) ?? delimiter)
      : placeholder === undefined
        ? beforeEnd(wordsOf(input), options.value("E"))
        : linesOf(input).flatMap((line) => (line.trim() === "" ? [] : [line.trimStart()]))
  const lines = options.value("L")
  const per = Number(options.value("n") ?? lines ?? Number.POSITIVE_INFINITY)
  if (!(per >= 1)) throw new UsageError(`value for -${lines === undefined ? "n" : "L"} option should be >= 1`)
  if (items.length === 0 && options.has("r")) return bytes("")
  const byLine = lines !== undefined && items.length > 0 && !options.has("0") && delimiter === undefined
  const calls =
    placeholder !== undefined
      ? filled(command, items, placeholder)
      : byLine
        ? lined(command, input, per)
        : grouped(command, items, per)
  return runAll(calls, context, options.has("t"))
})

/** The words before the one that ends the input (`-E`). */
const beforeEnd = (words: ReadonlyArray<string>, end: string | undefined): ReadonlyArray<string> => {
  const at = end === undefined ? -1 : words.indexOf(end)
  return at === -1 ? words : words.slice(0, at)
}

/** A command for every `per` lines that are not empty, with their words. */
function* lined(command: ReadonlyArray<string>, input: string, per: number) {
  const lines = linesOf(input).filter((line) => line.trim() !== "")
  for (let at = 0; at < lines.length; at += per) yield [...command, ...wordsOf(lines.slice(at, at + per).join("\n"))]
}

/** Yields the commands one at a time, because the run may end long before the last one. */
function* filled(command: ReadonlyArray<string>, items: ReadonlyArray<string>, placeholder: string) {
  for (const item of items) yield command.map((word) => word.replaceAll(placeholder, item))
}

function* grouped(command: ReadonlyArray<string>, items: ReadonlyArray<string>, per: number) {
  const size = Math.min(per, Math.max(items.length, 1))
  for (let at = 0; at === 0 || at < items.length; at += size) yield [...command, ...items.slice(at, at + size)]
}

const runAll = async (calls: Iterable<ReadonlyArray<string>>, context: Context, verbose: boolean) => {
  let stdout = ""
  let stderr = ""
  let exitCode = 0
  for (const [name = "", ...rest] of calls) {
    if (context.exec === undefined) throw new UsageError("no command can be run here")
    if (verbose) stderr += `${[name, ...rest].join(" ")}\n`
    const ran = await context.exec(quotedWord(name), {
      cwd: context.cwd,
      args: rest,
      ...(context.signal === undefined ? {} : { signal: context.signal }),
    })
    stdout += ran.stdoutKind === "bytes" ? decoded(ran.stdout) : ran.stdout
    stderr += ran.stderr
    if (ran.exitCode === 126 || ran.exitCode === 127) return { stdout, stderr, exitCode: ran.exitCode }
    if (ran.exitCode === 255) return { stdout, stderr, exitCode: 124 }
    if (ran.exitCode !== 0) exitCode = 123
  }
  return { stdout, stderr, exitCode }
}

/** Evaluates `expr TEXT : PATTERN` and `expr match`; the shell's own expr evaluates the rest. */
const expr = program("expr", async (args, context) => {
  const original = context.origCommand
  const [text = "", operator, pattern = ""] = args[0] === "match" ? [args[1], ":", args[2]] : args
  if (operator !== ":" || args.length !== 3) {
    if (original === undefined) throw new UsageError("syntax error")
    return original([...args])
  }
  const matcher = compile(`^(?:${extendedOf(pattern)})`).matcher(text)
  const grouped = pattern.includes("\\(")
  const found = matcher.find()
  const answer = grouped ? (found ? (matcher.group(1) ?? "") : "") : String(found ? (matcher.group()?.length ?? 0) : 0)
  return { stdout: `${answer}\n`, stderr: "", exitCode: answer === "" || answer === "0" ? 1 : 0 }
})

const PERMISSIONS = "rwxrwxrwx"

const stat = program("stat", async (args, context) => {
  const options = readOptions(args, {
    flags: "Lt",
    values: "c",
    long: { format: "c=", printf: "printf=", dereference: "L" },
  })
  const format = options.value("c") ?? options.value("printf")
  const original = context.origCommand
  if (format === undefined && original !== undefined) return original([...args])
  let stdout = ""
  let stderr = ""
  for (const name of options.operands) {
    try {
      const path = context.fs.resolvePath(context.cwd, name)
      const found = options.has("L") ? await context.fs.stat(path) : await context.fs.lstat(path)
      const target = found.isSymbolicLink ? await context.fs.readlink(path) : null
      const kind = target !== null ? "symbolic link" : found.isDirectory ? "directory" : "regular file"
      const size = target !== null ? target.length : found.isDirectory ? 4096 : found.size
      const bits = target !== null ? 0o777 : found.mode & 0o777
      const letters = Array.from(PERMISSIONS, (letter, at) => ((bits >> (8 - at)) & 1 ? letter : "-")).join("")
      const seconds = Math.floor(found.mtime.getTime() / 1000)
      const time = `${found.mtime.toISOString().replace("T", " ").replace("Z", "000000")} +0000`
      const parts: Readonly<Record<string, string>> = {
        n: name,
        N: target === null ? `'${name}'` : `'${name}' -> '${target}'`,
        s: String(size),
        a: bits.toString(8),
        A: `${target !== null ? "l" : found.isDirectory ? "d" : "-"}${letters}`,
        F: kind === "regular file" && size === 0 ? "regular empty file" : kind,
        Y: String(seconds),
        X: String(seconds),
        Z: String(seconds),
        y: time,
        x: time,
        z: time,
        U: "user",
        G: "user",
        u: "1000",
        g: "1000",
        h: "1",
        i: "0",
        b: String(Math.ceil(size / 4096) * 8),
        B: "512",
        "%": "%",
      }
      const line = (format ?? "%n").replace(/%(-?)(0?)(\d*)([\s\S])/g, (all, left, zero, width, letter) => {
        const value = parts[String(letter)]
        if (value === undefined) return all
        const size = Number(width)
        return left === "-" ? value.padEnd(size) : value.padStart(size, zero === "0" && /^\d+$/.test(value) ? "0" : " ")
      })
      const escaped = line.replace(/\\n/g, "\n").replace(/\\t/g, "\t")
      stdout += options.has("printf") ? escaped : `${line}\n`
    } catch (error) {
      stderr += `stat: cannot statx '${name}': ${why(error)}\n`
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 }
})

/** Prints paths in /usr/bin, where all programs of this shell are. */
const which = program("which", async (args, context) => {
  const names = args.filter((arg) => !arg.startsWith("-"))
  const known = new Set(context.getRegisteredCommands?.() ?? [])
  const found = names.filter((name) => known.has(name))
  const silent = args.includes("-s")
  const stdout = silent ? "" : found.map((name) => `/usr/bin/${name}\n`).join("")
  return { stdout, stderr: "", exitCode: names.length > 0 && found.length === names.length ? 0 : 1 }
})

export const MORE_PROGRAMS: ReadonlyArray<Command> = [xargs, expr, stat, which]
