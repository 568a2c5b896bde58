// date as in GNU: `-I`, `-r`, `--rfc-3339`, dates that the shell's own program does not parse, and format flags (`%-d`, `%3N`).
// Invariant: arguments that the shell's own program supports are passed to it unchanged.
import { UsageError, why, type Context } from "../programs/program.ts"
import type { Correct, Original } from "./correction.ts"
import { secondsOf } from "./dates.ts"

/** Matches texts that are relative to another time. */
const RELATIVE = /\d\s*(?:sec|min|hour|day|week|fortnight|month|year)|\b(?:next|last|ago|yesterday|tomorrow)\b/i

const nowOf = async (original: Original): Promise<number> => Number((await original(["+%s"])).stdout)

/** The time of `-d TEXT` as `@seconds`; null if the original program handles the text, or it is not a date. */
const timeOf = async (text: string, original: Original): Promise<string | null> => {
  const [, year, month, day] = /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/.exec(text) ?? []
  if (
    day !== undefined &&
    new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)
  )
    throw new UsageError(`invalid date '${text}'`)
  if (text.trim() === "") return timeOf("today 00:00", original)
  if (!RELATIVE.test(text) && (await original(["-d", text, "+%s"])).exitCode === 0) return null
  const seconds = secondsOf(text, await nowOf(original))
  return seconds === null ? null : `@${seconds}`
}

/** The time of `-d 'TZ="ZONE" TEXT'`, whose text is about another zone than the output; null for a text without a zone. */
const zonedTime = async (text: string, { exec, cwd }: Context): Promise<string | null> => {
  const [, zone, rest = ""] = /^\s*TZ="([^"]*)"\s*([\s\S]*)$/.exec(text) ?? []
  if (zone === undefined) return null
  const ran = await exec?.("date", { cwd, args: ["-d", rest, "+%s"], env: { TZ: zone } })
  if (ran?.exitCode !== 0) throw new UsageError(`invalid date '${text}'`)
  return `@${ran.stdout.trim()}`
}

const modified = async (name: string, { fs, cwd }: Context): Promise<string> => {
  const stat = await fs.stat(fs.resolvePath(cwd, name)).catch((error: unknown) => {
    throw new UsageError(`${name}: ${why(error)}`)
  })
  return `@${stat.mtime.getTime() / 1000}`
}

const TIMES: Readonly<Record<string, string>> = {
  date: "",
  hours: "T%H%:z",
  minutes: "T%H:%M%:z",
  seconds: "T%H:%M:%S%:z",
  ns: "T%H:%M:%S,%N%:z",
}
const RFC_3339: Readonly<Record<string, string>> = { date: "", seconds: " %H:%M:%S%:z", ns: " %H:%M:%S.%N%:z" }

const formOf = (table: Readonly<Record<string, string>>, precision: string): string => {
  const name = Object.keys(table).find((key) => precision !== "" && key.startsWith(precision))
  if (name === undefined) throw new UsageError(`invalid argument '${precision}'`)
  return `+%Y-%m-%d${table[name]}`
}

const zeros = (text: string, flag: string): string => {
  const [, sign = "", digits = ""] = /^(-?)[0 ]*(\d[\s\S]*)$/.exec(text) ?? []
  if (digits === "") return text
  const width = text.length - sign.length
  return sign + (flag === "-" ? digits : digits.padStart(width, flag === "_" ? " " : "0"))
}

const flagged = (text: string, flag: string, width: number): string => {
  const shown = flag === "^" ? text.toUpperCase() : flag === "#" ? swapped(text) : zeros(text, flag)
  return shown.padStart(width, /^\d/.test(shown) && flag !== "_" ? "0" : " ")
}

const swapped = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase())

const DIRECTIVE = /%(?:([-_0^#]?)(\d{0,2})(:{0,3})([a-zA-Z%+]))/g

/** Replaces those directives of the format that have flags or widths, and fractions of a second, with their values. */
const filled = async (
  format: string,
  at: ReadonlyArray<string>,
  seconds: number,
  original: Original,
): Promise<string> => {
  const values = new Map<string, string>()
  for (const [all, flag = "", width = "", colons = "", letter = ""] of format.matchAll(DIRECTIVE)) {
    if (letter === "N") {
      const fraction = String(Math.floor((seconds - Math.floor(seconds)) * 1e6 + 0.5)).padStart(6, "0")
      values.set(
        all,
        flag === "-" ? fraction.replace(/0+$/, "") : `${fraction}000`.slice(0, width === "" ? 9 : Number(width)),
      )
    } else if (letter === "z" && colons !== "") {
      const { stdout } = await original([...at, "+%z"])
      values.set(all, `${stdout.slice(0, 3)}:${stdout.slice(3, 5)}${colons === "::" ? ":00" : ""}`)
    } else if (flag !== "" || width !== "") {
      const { stdout } = await original([...at, `+%${letter}`])
      values.set(all, flagged(stdout.replace(/\n$/, ""), flag, Math.min(Number(width), 99)))
    }
  }
  return format.replace(DIRECTIVE, (all) => values.get(all)?.replaceAll("%", "%%") ?? all)
}

export const date: Correct = async (args, original, context) => {
  const words: Array<string> = []
  let [time, format]: [string | null, string | null] = [null, null]
  try {
    for (let at = 0; at < args.length; at += 1) {
      const arg = args[at] ?? ""
      const [, iso] = /^(?:-I|--iso-8601(?:=|$))(.*)$/.exec(arg) ?? []
      const [, rfc] = /^--rfc-3339=(.*)$/.exec(arg) ?? []
      const file = /^(?:-r|--reference)$/.test(arg) ? args[(at += 1)] : /^(?:-r|--reference=)([\s\S]+)$/.exec(arg)?.[1]
      const given = /^(?:-u?d|--date)$/.test(arg) ? args[(at += 1)] : /^(?:-u?d|--date=)([\s\S]+)$/.exec(arg)?.[1]
      if (arg.startsWith("-ud")) words.push("-u")
      if (file !== undefined) time = await modified(file, context)
      else if (given !== undefined) time = (await zonedTime(given, context)) ?? (await timeOf(given, original)) ?? given
      else if (iso !== undefined) format = formOf(TIMES, iso === "" ? "date" : iso)
      else if (rfc !== undefined) format = formOf(RFC_3339, rfc)
      else if (arg.startsWith("+")) format = arg
      else words.push(arg)
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { stdout: "", stderr: `date: ${error.message}\n`, exitCode: 1 }
  }
  const seconds = /^@-?[\d.]+$/.test(time ?? "") ? Number(time?.slice(1)) : null
  if (format !== null && /%[-_0^#\d:N]/.test(format)) {
    const known = seconds ?? (time === null ? Date.now() / 1000 : Number((await original(["-d", time, "+%s"])).stdout))
    const at = [...words, "-d", `@${Math.floor(known)}`]
    if (!Number.isNaN(known)) format = await filled(format, at, known, original)
  }
  const whole = seconds === null ? time : `@${Math.floor(seconds)}`
  return original([...words, ...(whole === null ? [] : ["-d", whole]), ...(format === null ? [] : [format])])
}
