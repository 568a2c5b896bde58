// chmod as in GNU: octal and symbolic modes, those of other classes (`g=u`), and those of another file.
// Invariant: links below a directory are not followed, and an invalid mode changes nothing.
import { umaskOf } from "../../compat/builtins/umask.ts"
import { bytes, type Context, program, readOptions, UsageError, why } from "../program.ts"

const OPTIONS = {
  flags: "Rvcf",
  long: {
    recursive: "R",
    verbose: "v",
    changes: "c",
    silent: "f",
    quiet: "f",
    reference: "reference=",
    "preserve-root": "root",
    "no-preserve-root": "root",
  },
}

const WHAT: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111 }
const CLASSES: Readonly<Record<string, number>> = { u: 0o700, g: 0o070, o: 0o007, a: 0o777 }
const SHIFTS: Readonly<Record<string, number>> = { u: 6, g: 3, o: 0 }

const bitsOf = (letters: string, table: Readonly<Record<string, number>>): number =>
  Array.from(letters).reduce((bits, letter) => bits | (table[letter] ?? 0), 0)

/** `mode` after one change, such as `u+x`. A change without a class leaves out what the mask forbids. */
const afterChange = (mode: number, change: string, isDirectory: boolean, mask: number): number => {
  const [, who = "", actions = ""] = /^([ugoa]*)([\s\S]*)$/.exec(change) ?? []
  const places = bitsOf(who === "" ? "a" : who, CLASSES)
  let after = mode
  for (const [, operator, what = ""] of actions.matchAll(/([-+=])([ugo]|[rwxXst]*)/g)) {
    const shift = SHIFTS[what]
    const executes = what.includes("X") && (isDirectory || (after & 0o111) !== 0)
    const named = shift === undefined ? bitsOf(what, WHAT) | (executes ? 0o111 : 0) : ((after >> shift) & 7) * 0o111
    const bits = named & places & (who === "" ? ~mask : 0o777)
    after = operator === "+" ? after | bits : operator === "-" ? after & ~bits : (after & ~places) | bits
  }
  return after
}

const CHANGE = /^[ugoa]*(?:[-+=](?:[ugo]|[rwxXst]*))+$/

const lettersOf = (mode: number): string =>
  Array.from("rwxrwxrwx", (letter, at) => ((mode >> (8 - at)) & 1 ? letter : "-")).join("")
const shown = (mode: number): string => `${mode.toString(8).padStart(4, "0")} (${lettersOf(mode)})`

/** Names of everything below a directory, links left out. */
const innerOf = async (name: string, { fs, cwd, executionScope }: Context): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = []
  for (const inner of await fs.readdir(fs.resolvePath(cwd, name))) {
    executionScope?.consumeWork(1, "chmod")
    const path = `${name.replace(/\/+$/, "")}/${inner}`
    if (!(await fs.lstat(fs.resolvePath(cwd, path))).isSymbolicLink) names.push(path)
  }
  return names
}

export const chmodProgram = program("chmod", async (args, context) => {
  const { fs, cwd, env } = context
  // `-x` is a mode.
  const isMode = (arg: string): boolean => /^-[rwxXst,ugo+=-]*[rwxXstugo]/.test(arg) && !arg.startsWith("--")
  const end = args.indexOf("--")
  const dashed = args.find((arg, at) => isMode(arg) && (end === -1 || at < end))
  const { has, value, operands } = readOptions(
    args.filter((arg) => arg !== dashed),
    OPTIONS,
  )
  const reference = value("reference")
  const names = dashed === undefined && reference === undefined ? operands.slice(1) : operands
  const text = dashed ?? operands[0] ?? ""
  if (operands.length === 0) throw new UsageError("missing operand")
  if (names.length === 0) throw new UsageError(`missing operand after '${text}'`)
  const given = reference === undefined ? null : await fs.stat(fs.resolvePath(cwd, reference)).catch(() => null)
  if (reference !== undefined && given === null)
    throw new UsageError(`failed to get attributes of '${reference}': No such file or directory`)
  const octal = /^[0-7]{1,5}$/.test(text) ? Number.parseInt(text, 8) & 0o7777 : null
  if (given === null && octal === null && !text.split(",").every((change) => CHANGE.test(change)))
    throw new UsageError(`invalid mode: '${text}'`)
  const mask = umaskOf({ env })
  let [stdout, stderr, exitCode] = ["", "", 0]
  const queue = [...names]
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const path = fs.resolvePath(cwd, name)
    try {
      const { mode, isDirectory } = await fs.stat(path)
      const before = mode & 0o7777
      const after =
        given === null
          ? (octal ??
            text.split(",").reduce((current, change) => afterChange(current, change, isDirectory, mask), before))
          : given.mode & 0o7777
      await fs.chmod(path, after)
      if (before !== after && (has("v") || has("c")))
        stdout += `mode of '${name}' changed from ${shown(before)} to ${shown(after)}\n`
      else if (has("v")) stdout += `mode of '${name}' retained as ${shown(after)}\n`
      if (has("R") && isDirectory) queue.unshift(...(await innerOf(name, context)))
    } catch (error) {
      if (!has("f")) stderr += `chmod: cannot access '${name}': ${why(error)}\n`
      exitCode = 1
    }
  }
  return bytes(stdout, stderr, exitCode)
})
