// date as GNU's takes `-I` and times that are relative to another one (`2 days ago`, `2024-01-31 +1 month`).
// Invariant: what is not known here goes to the program as it was written.
import type { Correct, Original } from "./correction.ts"

const RELATIVE = /([+-]?\s*\d+|next|last)\s*(sec|min|hour|day|week|fortnight|month|year)(?:ond|ute)?s?\b(\s+ago\b)?/gi

const SECONDS: Readonly<Record<string, number>> = {
  sec: 1,
  min: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  fortnight: 1_209_600,
}

const absolute = async (text: string, original: Original): Promise<string> => {
  const steps = Array.from(text.matchAll(RELATIVE))
  if (steps.length === 0) return text
  const base = text.replace(RELATIVE, "").trim()
  const { stdout, exitCode } = await original([...(base === "" ? [] : ["-d", base]), "+%s"])
  if (exitCode !== 0) return text
  const at = new Date(Number(stdout) * 1000)
  for (const [, given = "", unit = "", ago] of steps) {
    const count = /next/i.test(given) ? 1 : /last/i.test(given) ? -1 : Number(given.replace(/\s/g, ""))
    const by = ago === undefined ? count : -count
    const seconds = SECONDS[unit.toLowerCase()]
    if (seconds !== undefined) at.setTime(at.getTime() + by * seconds * 1000)
    else at.setUTCMonth(at.getUTCMonth() + by * (unit.toLowerCase() === "year" ? 12 : 1))
  }
  return `@${Math.floor(at.getTime() / 1000)}`
}

const TIMES: Readonly<Record<string, string>> = {
  hours: "T%H+00:00",
  minutes: "T%H:%M+00:00",
  seconds: "T%H:%M:%S+00:00",
}

export const date: Correct = async (args, original) => {
  const words: Array<string> = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    const [, precision] = /^(?:-I|--iso-8601(?:=|$))(.*)$/.exec(arg) ?? []
    const value = arg === "-d" || arg === "--date" ? args[(at += 1)] : /^(?:-d|--date=)([\s\S]+)$/.exec(arg)?.[1]
    if (value !== undefined) words.push("-d", await absolute(value, original))
    else if (precision === "" || precision === "date") words.push("+%Y-%m-%d")
    else if (precision !== undefined && Object.hasOwn(TIMES, precision))
      words.push("-u", `+%Y-%m-%d${TIMES[precision]}`)
    else words.push(arg)
  }
  return original(words)
}
