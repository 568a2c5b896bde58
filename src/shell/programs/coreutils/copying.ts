// dd and install as in GNU: copy blocks of a file, and copy files with their permissions.
// Invariant: an operand that is not understood is an error, and nothing is written.
import type { Command } from "just-bash/browser"
import { bytes, program, type Reading, readInput, readOptions, UsageError, why } from "../program.ts"
import { deviceBytes, ENDLESS } from "./head-tail.ts"

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  c: 1,
  w: 2,
  b: 512,
  K: 1024,
  k: 1024,
  kB: 1000,
  M: 1024 ** 2,
  MB: 1000 ** 2,
  G: 1024 ** 3,
  GB: 1000 ** 3,
}

const sizeOf = (text: string): number => {
  const [, digits, unit = ""] = /^(\d+)(|[cwbKkMG]|[kMG]B|[KMG]iB)$/.exec(text) ?? []
  const factor = UNITS[unit.replace("iB", "")]
  if (digits === undefined || factor === undefined) throw new UsageError(`invalid number: '${text}'`)
  return Number(digits) * factor
}

const DD = new Set(["if", "of", "bs", "ibs", "obs", "count", "skip", "seek", "conv", "status", "iflag", "oflag"])
const CONVERSIONS = new Set(["notrunc", "ucase", "lcase", "fsync", "fdatasync", "noerror"])
const FLAGS = new Set(["fullblock", "append", "count_bytes", "skip_bytes", "seek_bytes", "direct", "sync", "dsync"])

const checked = (values: string | undefined, known: ReadonlySet<string>, what: string): ReadonlyArray<string> => {
  const given = (values ?? "").split(",").filter((one) => one !== "")
  for (const one of given) if (!known.has(one)) throw new UsageError(`invalid ${what}: '${one}'`)
  return given
}

const dd = program("dd", async (args, context) => {
  const { fs, cwd } = context
  const given = new Map<string, string>()
  for (const arg of args) {
    const [, name = "", value] = /^([a-z]+)=([\s\S]*)$/.exec(arg) ?? []
    if (value === undefined || !DD.has(name)) throw new UsageError(`unrecognized operand '${arg}'`)
    given.set(name, value)
  }
  const size = sizeOf(given.get("bs") ?? given.get("ibs") ?? "512")
  if (size === 0) throw new UsageError("invalid number: '0'")
  const conversions = checked(given.get("conv"), CONVERSIONS, "conversion")
  const [input, output] = ["iflag", "oflag"].map((name) => checked(given.get(name), FLAGS, `${name.charAt(0)}put flag`))
  const countText = given.get("count")
  const unit = (flag: string, flags: ReadonlyArray<string> | undefined): number =>
    flags?.includes(flag) === true ? 1 : size
  const count = countText === undefined ? null : sizeOf(countText) * unit("count_bytes", input)
  const skip = sizeOf(given.get("skip") ?? "0") * unit("skip_bytes", input)
  const seek = sizeOf(given.get("seek") ?? "0") * unit("seek_bytes", output)
  const [from, to] = [given.get("if") ?? "-", given.get("of")]
  let content: string
  try {
    if (!ENDLESS.test(from)) content = await readInput(context, from)
    else if (count === null) throw new UsageError(`'${from}' never ends: 'count=' is needed`)
    else if (skip + count > context.limits.maxStringLength) throw new UsageError(`'${from}': File too large`)
    else {
      context.executionScope?.consumeInput(skip + count, from)
      content = deviceBytes(from, skip + count)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    return bytes("", `dd: failed to open '${from}': ${why(error)}\n`, 1)
  }
  const taken = content.slice(skip, count === null ? undefined : skip + count)
  const upper = conversions.includes("ucase") ? taken.replace(/[a-z]+/g, (all) => all.toUpperCase()) : taken
  const copied = conversions.includes("lcase") ? upper.replace(/[A-Z]+/g, (all) => all.toLowerCase()) : upper
  const records = `${Math.floor(copied.length / size)}+${copied.length % size === 0 ? 0 : 1} records`
  const status = given.get("status") ?? ""
  const end = status === "none" ? "" : `${records} in\n${records} out\n`
  const total = status === "none" || status === "noxfer" ? "" : `${copied.length} bytes copied\n`
  if (to === undefined) {
    const read: Pick<Reading, "internalStdinConsumed" | "exact"> =
      from === "-" ? { internalStdinConsumed: skip + taken.length, exact: true } : {}
    return { ...bytes(copied, end + total), ...read }
  }
  try {
    const path = fs.resolvePath(cwd, to)
    const before = (await fs.exists(path)) && !path.startsWith("/dev/") ? await readInput(context, to) : ""
    const at = output?.includes("append") === true ? before.length : seek
    if (at + copied.length > context.limits.maxStringLength) throw new Error("File too large")
    const rest = conversions.includes("notrunc") || at === before.length ? before.slice(at + copied.length) : ""
    const written = before.slice(0, at).padEnd(at, "\0") + copied + rest
    await fs.writeFile(path, Buffer.from(written, "latin1"))
  } catch (error) {
    return bytes("", `dd: failed to open '${to}': ${why(error)}\n`, 1)
  }
  return bytes("", end + total)
})

const INSTALL = {
  flags: "dDvpcCT",
  values: "mtog",
  long: {
    directory: "d",
    verbose: "v",
    mode: "m=",
    "target-directory": "t=",
    owner: "o=",
    group: "g=",
    compare: "C",
    "preserve-timestamps": "p",
    "no-target-directory": "T",
  },
}

const baseOf = (name: string): string => name.replace(/\/+$/, "").replace(/^[\s\S]*\//, "")

const install = program("install", async (args, context) => {
  const { fs, cwd, exec } = context
  const { has, value, operands } = readOptions(args, INSTALL)
  for (const owner of [value("o"), value("g")])
    if (owner !== undefined && owner !== "user" && owner !== "1000") throw new UsageError(`invalid user: '${owner}'`)
  const mode = value("m") ?? "755"
  let stdout = ""
  const setMode = async (name: string): Promise<void> => {
    const changed = await exec?.("chmod", { cwd, args: [mode, name.startsWith("-") ? `./${name}` : name] })
    if (changed?.exitCode !== 0) throw new UsageError(`invalid mode '${mode}'`)
  }
  const makeDirectory = async (name: string): Promise<void> => {
    const path = fs.resolvePath(cwd, name)
    if (await fs.exists(path)) return
    await fs.mkdir(path, { recursive: true })
    if (has("v")) stdout += `install: creating directory '${name}'\n`
  }
  try {
    if (has("d")) {
      if (operands.length === 0) throw new UsageError("missing file operand")
      for (const name of operands) {
        await makeDirectory(name)
        await setMode(name)
      }
      return bytes(stdout)
    }
    const directory = value("t")
    const target = directory ?? operands.at(-1)
    const sources = directory === undefined ? operands.slice(0, -1) : operands
    if (target === undefined) throw new UsageError("missing file operand")
    if (sources.length === 0) throw new UsageError(`missing destination file operand after '${target}'`)
    if (has("D"))
      await makeDirectory(directory ?? (target.includes("/") ? target.slice(0, target.lastIndexOf("/")) : "."))
    const found = await fs.stat(fs.resolvePath(cwd, target)).catch(() => null)
    const into = !has("T") && (found?.isDirectory === true || directory !== undefined)
    if (!into && sources.length > 1) throw new UsageError(`target '${target}' is not a directory`)
    for (const name of sources) {
      const place = into ? `${target.replace(/\/+$/, "")}/${baseOf(name)}` : target
      const content = await readInput(context, name).catch((error: unknown) => {
        throw new UsageError(`cannot stat '${name}': ${why(error)}`)
      })
      await fs.writeFile(fs.resolvePath(cwd, place), Buffer.from(content, "latin1"))
      await setMode(place)
      if (has("v")) stdout += `'${name}' -> '${place}'\n`
    }
    return bytes(stdout)
  } catch (error) {
    if (error instanceof UsageError) throw error
    return bytes(stdout, `install: cannot create the file: ${why(error)}\n`, 1)
  }
})

export const COPYING_PROGRAMS: ReadonlyArray<Command> = [dd, install]
