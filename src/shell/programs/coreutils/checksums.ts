// md5sum, the SHA sums and cksum as in GNU, and shasum as in Perl: print the digest of each file, or check the files of a list.
// Invariant: a check ends with exit code 1 if a file differs or can't be read, or if no line of the list is valid.
import { createHash } from "node:crypto"
import type { Command, ExecResult } from "just-bash/browser"
import { type Context, linesOf, type Options, program, readInput, readOptions, UsageError, why } from "../program.ts"

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
    "ignore-missing": "ignore-missing",
  },
}

/** Length of a digest in bytes, by algorithm. */
const LENGTHS: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 }

const digestOf = (algorithm: string, text: string): string =>
  createHash(algorithm).update(Buffer.from(text, "latin1")).digest("hex")

const sums = async (name: string, algorithm: string, options: Options, context: Context): Promise<ExecResult> => {
  const only = options.given.find(([option]) => /^(?:w|quiet|status|strict|ignore-missing)$/.test(option))
  if (only !== undefined) throw new UsageError(`the --${only[0]} option is meaningful only when verifying checksums`)
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
        if (options.has("ignore-missing") && reason === "No such file or directory") continue
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

/** shasum names the algorithm by its bits, SHA-1 without any. */
const shasum = program("shasum", (args, context) => {
  const options = readOptions(args, {
    ...OPTIONS,
    values: "a",
    flags: `${OPTIONS.flags}sq`,
    long: { ...OPTIONS.long, algorithm: "a=", status: "s" },
  })
  const bits = options.value("a") ?? "1"
  const algorithm = `sha${bits}`
  if (LENGTHS[algorithm] === undefined) throw new UsageError(`unrecognized algorithm: ${bits}`)
  const silent = { ...options, has: (name: string) => options.has(name === "status" ? "s" : name) }
  return options.has("c") ? check("shasum", algorithm, silent, context) : sums("shasum", algorithm, silent, context)
})

const POLYNOMIAL = 0x04c11db7

/** The remainder after one more byte. */
const withByte = (remainder: number, byte: number): number => {
  let next = remainder ^ (byte << 24)
  for (let bit = 0; bit < 8; bit += 1) next = next < 0 ? (next << 1) ^ POLYNOMIAL : next << 1
  return next
}

/** The cyclic redundancy check of POSIX: of the bytes, then of their count from its lowest byte. */
const crcOf = (text: string): number => {
  let remainder = 0
  for (let at = 0; at < text.length; at += 1) remainder = withByte(remainder, text.charCodeAt(at))
  for (let count = text.length; count > 0; count = Math.floor(count / 256))
    remainder = withByte(remainder, count & 0xff)
  return ~remainder >>> 0
}

const cksum = program("cksum", async (args, context) => {
  const { operands } = readOptions(args, {})
  let [stdout, stderr] = ["", ""]
  for (const file of operands.length === 0 ? ["-"] : operands) {
    try {
      const text = await readInput(context, file)
      context.executionScope?.consumeWork(text.length, "cksum")
      stdout += `${crcOf(text)} ${text.length}${operands.length === 0 ? "" : ` ${file}`}\n`
    } catch (error) {
      stderr += `cksum: ${file}: ${why(error)}\n`
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 }
})

export const SUM_PROGRAMS: ReadonlyArray<Command> = [...Object.keys(LENGTHS).map(sumProgram), shasum, cksum]
