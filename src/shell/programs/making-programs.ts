// touch and mkdir as in GNU. Receives times, modes and names; creates missing files and directories.
// Invariant: with an invalid time or mode, nothing is changed.
import type { Command } from "just-bash/browser"
import { bytes, type Context, program, readOptions, UsageError, why } from "./program.ts"

const TOUCH = {
  flags: "acfhm",
  values: "drt",
  long: { "no-create": "c", "no-dereference": "h", date: "d=", reference: "r=", time: "time=" },
}

const STAMP = /^(\d{2}(?=\d{10})|)(\d{2}(?=\d{8})|)(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{2}))?$/

/** Parses `[[CC]YY]MMDDhhmm[.ss]`. */
const stampOf = (text: string): Date => {
  const parts = STAMP.exec(text)
  if (parts === null) throw new UsageError(`invalid date format '${text}'`)
  const [century = "", two = "", month, day, hours, minutes, seconds = 0] = parts.slice(1)
  const short = Number(two) + (Number(two) < 69 ? 2000 : 1900)
  const year = two === "" ? new Date().getUTCFullYear() : century === "" ? short : Number(century) * 100 + Number(two)
  const at = new Date(Date.UTC(year, Number(month) - 1, Number(day), Number(hours), Number(minutes), Number(seconds)))
  if (at.getUTCDate() !== Number(day) || at.getUTCHours() !== Number(hours))
    throw new UsageError(`invalid date format '${text}'`)
  return at
}

/** Parses a time with the shell's `date -d`. */
export const dateOf = async (text: string, { exec, cwd, signal }: Context): Promise<Date> => {
  const ran = await exec?.("date", { cwd, args: ["-d", text, "+%s.%3N"], ...(signal === undefined ? {} : { signal }) })
  if (ran?.exitCode !== 0) throw new UsageError(`invalid date format '${text}'`)
  return new Date(Number(ran.stdout) * 1000)
}

const touch = program("touch", async (args, context) => {
  const { fs, cwd } = context
  const options = readOptions(args, TOUCH)
  if (options.operands.length === 0) throw new UsageError("missing file operand")
  const [reference, text, stamp] = [options.value("r"), options.value("d"), options.value("t")]
  let time: Date | null = null
  if (reference !== undefined)
    time = await fs.stat(fs.resolvePath(cwd, reference)).then(
      ({ mtime }) => mtime,
      (error: unknown) => {
        throw new UsageError(`failed to get attributes of '${reference}': ${why(error)}`)
      },
    )
  else if (stamp !== undefined) time = stampOf(stamp)
  else if (text !== undefined) time = await dateOf(text, context)
  // The workspace only stores the time of the last change, so setting the access time does nothing.
  const accessed = (options.has("a") && !options.has("m")) || /^(?:a|use)/.test(options.value("time") ?? "")
  let stderr = ""
  for (const name of options.operands) {
    const path = fs.resolvePath(cwd, name)
    try {
      const exists = await fs.exists(path)
      if (!exists && options.has("c")) continue
      if (!exists) await fs.writeFile(path, "")
      if (!accessed && (exists || time !== null)) await fs.utimes(path, time ?? new Date(), time ?? new Date())
    } catch (error) {
      stderr += `touch: cannot touch '${name}': ${why(error)}\n`
    }
  }
  return bytes("", stderr, stderr === "" ? 0 : 1)
})

const MKDIR = { flags: "pv", values: "m", long: { parents: "p", verbose: "v", mode: "m=" } }

/** The missing directories of a path, the outermost first. */
const missing = async (name: string, { fs, cwd }: Context): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = []
  for (let at = name.replace(/\/+$/, ""); at !== "" && !(await fs.exists(fs.resolvePath(cwd, at)));) {
    names.unshift(at)
    at = at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : ""
  }
  return names
}

const isDirectory = async (path: string, { fs }: Context): Promise<boolean> =>
  (await fs.stat(path).catch(() => null))?.isDirectory === true

const mkdir = program("mkdir", async (args, context) => {
  const { fs, cwd } = context
  const options = readOptions(args, MKDIR)
  if (options.operands.length === 0) throw new UsageError("missing operand")
  const mode = options.value("m")
  let [stdout, stderr] = ["", ""]
  for (const name of options.operands) {
    const path = fs.resolvePath(cwd, name)
    try {
      const made = options.has("p") ? await missing(name, context) : [name]
      if (options.has("p") && made.length === 0 && !(await isDirectory(path, context))) throw new Error("File exists")
      for (const one of made) await fs.mkdir(fs.resolvePath(cwd, one))
      if (options.has("v")) stdout += made.map((one) => `mkdir: created directory '${one}'\n`).join("")
      if (mode === undefined || made.length === 0) continue
      const changed = await context.exec?.("chmod", { cwd, args: [mode, name] })
      if (changed?.exitCode !== 0) throw new Error(`invalid mode '${mode}'`)
    } catch (error) {
      const reason = /EEXIST/.test(String(error)) ? "File exists" : why(error)
      stderr += `mkdir: cannot create directory '${name}': ${reason}\n`
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 }
})

export const MAKING_PROGRAMS: ReadonlyArray<Command> = [touch, mkdir]
