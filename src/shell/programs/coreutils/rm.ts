// rm and unlink as in GNU. Receive names; remove files, links and, with -r, directories with their content.
// Invariant: a link is removed itself; what it refers to stays. With -f, only missing files are no error.
import type { Command } from "just-bash/browser"
import { bytes, type Context, type Options, program, readOptions, UsageError, why } from "../program.ts"

const RM = {
  flags: "rRfvd",
  long: {
    recursive: "r",
    force: "f",
    verbose: "v",
    dir: "d",
    "one-file-system": "x",
    "preserve-root": "p",
  },
}

const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/** Removes a directory with its content, and lists what is removed, the content first. */
const removeListed = async (shown: string, path: string, context: Context): Promise<string> => {
  const { fs, limits, executionScope } = context
  executionScope?.consumeLimited("rm", 1, limits.maxTraversalEntries, "rm")
  const isDirectory = (await fs.lstat(path)).isDirectory
  let listed = ""
  for (const name of isDirectory ? await fs.readdir(path) : [])
    listed += await removeListed(`${shown}/${name}`, `${path}/${name}`, context)
  await fs.rm(path, { recursive: isDirectory })
  return `${listed}removed ${isDirectory ? "directory " : ""}'${shown}'\n`
}

/** Removes one operand; throws why it can't be removed. Returns what `-v` prints. */
const remove = async (name: string, options: Options, context: Context): Promise<string> => {
  const { fs, cwd } = context
  const recursive = options.has("r") || options.has("R")
  const trimmed = name.replace(/(?<=[^/])\/+$/, "")
  const path = fs.resolvePath(cwd, trimmed)
  const found = await fs.lstat(path)
  // `link/` names the directory that the link refers to, which can't be removed by this name.
  if (trimmed !== name && !found.isDirectory) {
    const isDirectory = found.isSymbolicLink && (await fs.stat(path)).isDirectory
    throw new Error(isDirectory && !recursive ? "Is a directory" : "Not a directory")
  }
  if (found.isDirectory && !recursive) {
    if (!options.has("d")) throw new Error("Is a directory")
    if ((await fs.readdir(path)).length > 0) throw new Error("Directory not empty")
  }
  if (options.has("v")) return removeListed(trimmed, path, context)
  await fs.rm(path, { recursive: found.isDirectory })
  return ""
}

const rm = program("rm", async (args, context) => {
  const options = readOptions(args, RM)
  const forced = options.has("f")
  if (options.operands.length === 0 && !forced) throw new UsageError("missing operand")
  let [stdout, stderr] = ["", ""]
  for (const name of options.operands) {
    if (/(?:^|\/)\.\.?\/*$/.test(name)) {
      stderr += `rm: refusing to remove '.' or '..' directory: skipping '${name}'\n`
      continue
    }
    try {
      stdout += await remove(name, options, context)
    } catch (error) {
      const reason = why(error)
      if (!forced || reason !== "No such file or directory") stderr += `rm: cannot remove '${name}': ${reason}\n`
    }
  }
  return bytes(latin1(stdout), stderr, stderr === "" ? 0 : 1)
})

const unlink = program("unlink", async (args, { fs, cwd }) => {
  const [name, more] = readOptions(args, {}).operands
  if (name === undefined) throw new UsageError("missing operand")
  if (more !== undefined) throw new UsageError(`extra operand '${more}'`)
  try {
    const path = fs.resolvePath(cwd, name)
    if ((await fs.lstat(path)).isDirectory) throw new Error("Is a directory")
    await fs.rm(path)
    return bytes("")
  } catch (error) {
    return bytes("", `unlink: cannot unlink '${name}': ${why(error)}\n`, 1)
  }
})

export const REMOVING_PROGRAMS: ReadonlyArray<Command> = [rm, unlink]
