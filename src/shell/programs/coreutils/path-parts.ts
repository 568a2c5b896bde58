// basename and dirname, as in GNU coreutils: `/` is its own directory, so that a loop over parents ends.
// Invariant: they only look at the text of a path.
import type { Command } from "just-bash/browser"
import { bytes, program, readOptions, UsageError } from "../program.ts"

const withoutSlashes = (path: string): string => (/^\/+$/.test(path) ? "/" : path.replace(/(?<!\/)\/+$/, ""))

const baseOf = (path: string, suffix: string): string => {
  const plain = withoutSlashes(path)
  const name = plain === "/" ? plain : plain.slice(plain.lastIndexOf("/") + 1)
  return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
}

const directoryOf = (path: string): string => {
  const plain = withoutSlashes(path)
  const slash = plain.lastIndexOf("/")
  return slash === -1 ? "." : withoutSlashes(plain.slice(0, slash + 1))
}

const printed = (lines: ReadonlyArray<string>, zero: boolean) =>
  // A pipe has one character per byte.
  bytes(Buffer.from(lines.map((line) => line + (zero ? "\0" : "\n")).join("")).toString("latin1"))

const basename = program("basename", async (args) => {
  const options = readOptions(args, {
    flags: "az",
    values: "s",
    long: { multiple: "a", suffix: "s=", zero: "z" },
  })
  const [path, suffix, extra] = options.operands
  if (path === undefined) throw new UsageError("missing operand")
  const common = options.value("s")
  if (options.has("a") || common !== undefined)
    return printed(
      options.operands.map((each) => baseOf(each, common ?? "")),
      options.has("z"),
    )
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`)
  return printed([baseOf(path, suffix ?? "")], options.has("z"))
})

const dirname = program("dirname", async (args) => {
  const options = readOptions(args, { flags: "z", long: { zero: "z" } })
  if (options.operands.length === 0) throw new UsageError("missing operand")
  return printed(options.operands.map(directoryOf), options.has("z"))
})

export const PATH_PART_PROGRAMS: ReadonlyArray<Command> = [basename, dirname]
