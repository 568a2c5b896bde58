// realpath and readlink as in GNU: print the path of a file with all links followed, or what a link refers to.
// Invariant: with -f every directory of the path must exist, with -e the file too, with -m neither.
import type { Command } from "just-bash/browser"
import { bytes, type Context, program, readOptions, UsageError, why } from "../program.ts"

/** What must exist of a path. */
type Existing = "all" | "directories" | "nothing"

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

/** The path without links. A link whose target is missing counts as its target. */
const canonical = async (path: string, existing: Existing, context: Context, depth = 0): Promise<string> => {
  const { fs } = context
  if (path === "/") return path
  if (path === "") throw new Error("ENOENT")
  if (await fs.exists(path)) return fs.realpath(path)
  const parent = parentOf(path)
  const target = await fs.readlink(path).catch(() => null)
  if (depth > 40) throw new Error("ELOOP")
  if (target !== null) return canonical(fs.resolvePath(parent, target), existing, context, depth + 1)
  if (existing === "all") throw new Error("ENOENT")
  const above = existing === "nothing" ? await canonical(parent, existing, context, depth) : await fs.realpath(parent)
  return `${above === "/" ? "" : above}/${path.slice(path.lastIndexOf("/") + 1)}`
}

const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const relative = (from: string, to: string): string => {
  const a = from.split("/").filter((part) => part !== "")
  const b = to.split("/").filter((part) => part !== "")
  let same = 0
  while (same < a.length && a[same] === b[same]) same += 1
  const path = [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/")
  return path === "" ? "." : path
}

const REALPATH = {
  flags: "emsqzLP",
  long: {
    "relative-to": "to=",
    "relative-base": "base=",
    "canonicalize-existing": "e",
    "canonicalize-missing": "m",
    "no-symlinks": "s",
    strip: "s",
    quiet: "q",
    zero: "z",
    logical: "L",
    physical: "P",
  },
}

const realpath = program("realpath", async (args, context) => {
  const options = readOptions(args, REALPATH)
  if (options.operands.length === 0) throw new UsageError("missing operand")
  const existing = options.has("e") ? "all" : options.has("m") ? "nothing" : "directories"
  const resolve = async (name: string): Promise<string> => {
    const path = context.fs.resolvePath(context.cwd, name)
    return options.has("s") ? path : canonical(path, existing, context)
  }
  const [to, base] = [options.value("to"), options.value("base")]
  let [stdout, stderr, exitCode] = ["", "", 0]
  for (const name of options.operands) {
    try {
      const path = await resolve(name)
      const from = to ?? (base !== undefined && `${path}/`.startsWith(`${await resolve(base)}/`) ? base : undefined)
      const shown = from === undefined ? path : relative(await resolve(from), path)
      stdout += shown + (options.has("z") ? "\0" : "\n")
    } catch (error) {
      exitCode = 1
      if (!options.has("q")) stderr += `realpath: ${name}: ${why(error)}\n`
    }
  }
  return bytes(latin1(stdout), stderr, exitCode)
})

const READLINK = {
  flags: "femnqsvz",
  long: {
    canonicalize: "f",
    "canonicalize-existing": "e",
    "canonicalize-missing": "m",
    "no-newline": "n",
    quiet: "q",
    silent: "s",
    verbose: "v",
    zero: "z",
  },
}

const readlink = program("readlink", async (args, context) => {
  const { fs, cwd } = context
  const options = readOptions(args, READLINK)
  if (options.operands.length === 0) throw new UsageError("missing operand")
  const mode = options.given.findLast(([name]) => /^[fem]$/.test(name))?.[0]
  const end = options.has("z") ? "\0" : options.has("n") && options.operands.length === 1 ? "" : "\n"
  let [stdout, stderr, exitCode] = ["", "", 0]
  for (const name of options.operands) {
    const path = fs.resolvePath(cwd, name)
    try {
      if (mode === undefined) stdout += (await fs.readlink(path)) + end
      else
        stdout +=
          (await canonical(path, mode === "e" ? "all" : mode === "m" ? "nothing" : "directories", context)) + end
    } catch (error) {
      exitCode = 1
      const reason = why(error)
      if (options.has("v"))
        stderr += `readlink: ${name}: ${/EINVAL|not a symbolic link/i.test(reason) ? "Invalid argument" : reason}\n`
    }
  }
  return bytes(latin1(stdout), stderr, exitCode)
})

export const LINK_PATH_PROGRAMS: ReadonlyArray<Command> = [realpath, readlink]
