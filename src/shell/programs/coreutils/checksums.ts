// md5sum and the SHA sums as in GNU: print the digest of each file, or check the files of a list.
// Invariant: a check ends with exit code 1 if a file differs or can't be read, or if no line of the list is valid.
import { createHash } from "node:crypto"
import type { Command, ExecResult } from "just-bash/browser"
import { type Context, linesOf, type Options, program, readInput, readOptions, why } from "../program.ts"

const OPTIONS = {
  flags: "bctwz",
  long: {
    binary: "b",
    check: "c",
    text: "t",
    tag: "tag",
    zero: "z",
    warn: "w",
    quiet: "quiet",
    status: "status",
    strict: "strict",
    "ignore-missing": "missing",
  },
}

/** Length of a digest in bytes, by algorithm. */
const LENGTHS: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 }

const digestOf = (algorithm: string, text: string): string =>
  createHash(algorithm).update(Buffer.from(text, "latin1")).digest("hex")

const sums = async (name: string, algorithm: string, options: Options, context: Context): Promise<ExecResult> => {
  let [stdout, stderr] = ["", ""]
  const end = options.has("z") ? "\0" : "\n"
  for (const file of options.operands.length === 0 ? ["-"] : options.operands) {
    try {
      const digest = digestOf(algorithm, await readInput(context, file))
      stdout += options.has("tag")
        ? `${algorithm.toUpperCase()} (${file}) = ${digest}${end}`
        : `${digest} ${options.has("b") ? "*" : " "}${file}${end}`
    } catch (error) {
      stderr += `${name}: ${file}: ${why(error)}\n`
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 }
}

interface Line {
  readonly digest: string
  readonly file: string
}

const lineOf = (text: string, algorithm: string): Line | null => {
  const digits = `[0-9a-fA-F]{${(LENGTHS[algorithm] ?? 0) * 2}}`
  const [, digest, file] = new RegExp(`^\\\\?(${digits}) [ *](.+)$`).exec(text) ?? []
  if (digest !== undefined && file !== undefined) return { digest: digest.toLowerCase(), file }
  const [, tagged, value] = new RegExp(`^${algorithm} \\((.+)\\) = (${digits})$`, "i").exec(text) ?? []
  return tagged === undefined || value === undefined ? null : { digest: value.toLowerCase(), file: tagged }
}

const plural = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

const check = async (name: string, algorithm: string, options: Options, context: Context): Promise<ExecResult> => {
  let [stdout, stderr, failed] = ["", "", false]
  const silent = options.has("status")
  for (const list of options.operands.length === 0 ? ["-"] : options.operands) {
    let text: string
    try {
      text = Buffer.from(await readInput(context, list), "latin1").toString("utf8")
    } catch (error) {
      stderr += `${name}: ${list}: ${why(error)}\n`
      failed = true
      continue
    }
    let [valid, wrong, unread, malformed] = [0, 0, 0, 0]
    for (const line of linesOf(text).filter((one) => one !== "" && !one.startsWith("#"))) {
      const read = lineOf(line, algorithm)
      if (read === null) {
        malformed += 1
        continue
      }
      valid += 1
      try {
        const equal = digestOf(algorithm, await readInput(context, read.file)) === read.digest
        if (!equal) wrong += 1
        if (!silent && !(equal && options.has("quiet"))) stdout += `${read.file}: ${equal ? "OK" : "FAILED"}\n`
      } catch (error) {
        const reason = why(error)
        if (options.has("missing") && reason === "No such file or directory") continue
        unread += 1
        if (!silent) stdout += `${read.file}: FAILED open or read\n`
        stderr += `${name}: ${read.file}: ${reason}\n`
      }
    }
    failed ||= wrong + unread > 0 || valid === 0 || (options.has("strict") && malformed > 0)
    const warnings = [
      valid === 0 ? `${list}: no properly formatted checksum lines found` : "",
      valid > 0 && malformed > 0 ? `WARNING: ${plural(malformed, "line is", "lines are")} improperly formatted` : "",
      unread > 0 ? `WARNING: ${plural(unread, "listed file", "listed files")} could not be read` : "",
      wrong > 0 ? `WARNING: ${plural(wrong, "computed checksum", "computed checksums")} did NOT match` : "",
    ]
    if (!silent) for (const warning of warnings) if (warning !== "") stderr += `${name}: ${warning}\n`
  }
  return { stdout, stderr, exitCode: failed ? 1 : 0 }
}

const sumProgram = (algorithm: string): Command => {
  const name = `${algorithm}sum`
  return program(name, (args, context) => {
    const options = readOptions(args, OPTIONS)
    return options.has("c") ? check(name, algorithm, options, context) : sums(name, algorithm, options, context)
  })
}

export const SUM_PROGRAMS: ReadonlyArray<Command> = Object.keys(LENGTHS).map(sumProgram)
