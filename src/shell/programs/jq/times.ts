// The times of jq: "broken down" times (`[year, month, day, hours, minutes, seconds, weekday, yearday]`) in UTC.
import { isArray, type Json, shownType } from "./json.ts"
import { raise } from "./paths.ts"

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const MONTHS = "January February March April May June July August September October November December".split(" ")

export const brokenDown = (value: Json): ReadonlyArray<number> => {
  if (isArray(value)) {
    if (value.length < 6 || !value.every((part) => typeof part === "number"))
      return raise("a broken down time needs six numbers")
    return value.filter((part) => typeof part === "number")
  }
  if (typeof value !== "number") return raise("gmtime() requires a number")
  const date = new Date(value * 1000)
  if (Number.isNaN(date.getTime())) return raise("error converting number of seconds since epoch to datetime")
  const yearDay = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000)
  const seconds = date.getUTCSeconds() + (((value % 1) + 1) % 1)
  return [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    seconds,
    date.getUTCDay(),
    yearDay,
  ]
}

export const secondsOf = (value: Json): number => {
  if (!isArray(value)) return raise("mktime requires array of 6 numbers")
  const [year = 0, month = 0, day = 1, hours = 0, minutes = 0, seconds = 0] = brokenDown(value)
  return Math.floor(Date.UTC(year, month, day, hours, minutes, Math.floor(seconds)) / 1000)
}

const two = (value: number, fill = "0"): string => String(value).padStart(2, fill)

/** The week of ISO 8601, and its year. */
const isoWeek = (date: Date): readonly [year: number, week: number] => {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000)
  const year = thursday.getUTCFullYear()
  return [year, Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 / 7) + 1]
}

export const formatTime = (value: Json, format: Json): string => {
  if (typeof format !== "string") return raise("strftime/1 requires a string format")
  if (typeof value !== "number" && !isArray(value)) return raise("strftime/1 requires parsed datetime inputs")
  const [year = 0, month = 0, day = 1, hours = 0, minutes = 0, seconds = 0] = brokenDown(value)
  const date = new Date(Date.UTC(year, month, day, hours, minutes, Math.floor(seconds)))
  const yearDay = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000)
  const expand = (pattern: string): string =>
    pattern.replace(/%([\s\S])/g, (all, letter: string) => {
      const long: Readonly<Record<string, string>> = {
        F: "%Y-%m-%d",
        T: "%H:%M:%S",
        D: "%m/%d/%y",
        R: "%H:%M",
        c: "%a %b %e %H:%M:%S %Y",
        x: "%m/%d/%y",
        X: "%H:%M:%S",
        r: "%I:%M:%S %p",
      }
      const meant = Object.hasOwn(long, letter) ? long[letter] : undefined
      if (meant !== undefined) return expand(meant)
      const simple: Readonly<Record<string, () => string>> = {
        Y: () => String(date.getUTCFullYear()),
        C: () => two(Math.floor(date.getUTCFullYear() / 100)),
        y: () => two(date.getUTCFullYear() % 100),
        m: () => two(date.getUTCMonth() + 1),
        d: () => two(date.getUTCDate()),
        e: () => two(date.getUTCDate(), " "),
        H: () => two(date.getUTCHours()),
        k: () => two(date.getUTCHours(), " "),
        I: () => two(date.getUTCHours() % 12 || 12),
        M: () => two(date.getUTCMinutes()),
        S: () => two(date.getUTCSeconds()),
        s: () => String(date.getTime() / 1000),
        j: () => String(yearDay + 1).padStart(3, "0"),
        u: () => String(date.getUTCDay() || 7),
        w: () => String(date.getUTCDay()),
        a: () => DAYS[date.getUTCDay()]?.slice(0, 3) ?? "",
        A: () => DAYS[date.getUTCDay()] ?? "",
        b: () => MONTHS[date.getUTCMonth()]?.slice(0, 3) ?? "",
        h: () => MONTHS[date.getUTCMonth()]?.slice(0, 3) ?? "",
        B: () => MONTHS[date.getUTCMonth()] ?? "",
        p: () => (date.getUTCHours() < 12 ? "AM" : "PM"),
        G: () => String(isoWeek(date)[0]),
        V: () => two(isoWeek(date)[1]),
        Z: () => "UTC",
        z: () => "+0000",
        n: () => "\n",
        t: () => "\t",
        "%": () => "%",
      }
      return Object.hasOwn(simple, letter) ? (simple[letter]?.() ?? all) : all
    })
  return expand(format)
}

const READS: Readonly<Record<string, string>> = {
  Y: "(\\d{4})",
  m: "(\\d{1,2})",
  d: "(\\d{1,2})",
  e: "\\s*(\\d{1,2})",
  H: "(\\d{1,2})",
  M: "(\\d{1,2})",
  S: "(\\d{1,2})",
  j: "(\\d{1,3})",
  y: "(\\d{2})",
  s: "(-?\\d{1,12})",
  Z: "([A-Za-z]{1,5})",
  z: "([-+]\\d\\d:?\\d\\d|Z)",
  b: "([A-Za-z]{3,9})",
  B: "([A-Za-z]{3,9})",
  a: "([A-Za-z]{3,9})",
  A: "([A-Za-z]{3,9})",
}

export const parseTime = (value: Json, format: Json): ReadonlyArray<number> => {
  if (typeof value !== "string") return raise(`strptime/1 requires string inputs and arguments`)
  if (typeof format !== "string") return raise(`strptime/1 requires string inputs and arguments`)
  const whole = format.replaceAll("%T", "%H:%M:%S").replaceAll("%F", "%Y-%m-%d").replaceAll("%R", "%H:%M")
  const letters: Array<string> = []
  const pattern = whole.replace(/%([\s\S])|[.*+?^${}()|[\]\\]/g, (found, letter?: string) => {
    if (letter === undefined) return `\\${found}`
    if (letter === "%") return "%"
    const reads = Object.hasOwn(READS, letter) ? READS[letter] : undefined
    if (reads === undefined) return raise(`strptime: the format %${letter} is not supported`)
    letters.push(letter)
    return reads
  })
  const match = new RegExp(`^${pattern}$`).exec(value)
  if (match === null) return raise(`date "${value}" does not match format "${format}"`)
  const parts: Record<string, string> = {}
  letters.forEach((letter, at) => {
    parts[letter] = match[at + 1] ?? ""
  })
  const { Y, y, m, d, e, H, M, S, s, b, B } = parts
  if (s !== undefined) return brokenDown(Number(s))
  const named = MONTHS.findIndex((name) => name.slice(0, 3).toLowerCase() === (b ?? B ?? "").slice(0, 3).toLowerCase())
  const month = m === undefined ? (named === -1 ? 0 : named) : Number(m) - 1
  const year = Y === undefined ? (y === undefined ? 1900 : Number(y) + (Number(y) < 69 ? 2000 : 1900)) : Number(Y)
  const time = Date.UTC(year, month, Number(d ?? e ?? 1), Number(H ?? 0), Number(M ?? 0), Number(S ?? 0))
  if (Number.isNaN(time)) return raise(`${shownType(value)} is no date`)
  return brokenDown(time / 1000)
}
