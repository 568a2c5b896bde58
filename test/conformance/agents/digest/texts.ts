// Decides how much of a text a digest shows: what the scenario supplied, and nothing that the recorded software wrote. A text
// that merely contains supplied text becomes "<text~that>", any other "<text>".

const MAX_SHOWN = 60
const MAX_LINES = 20
const MIN_MENTION = 5
const REMINDER = /\s*<system-reminder>[\s\S]*?<\/system-reminder>/g

/** Keys of a scenario's data whose texts may occur inside longer ones. */
const CONTENT_KEYS = new Set(
  "text content thinking message reason stopReason additionalContext systemMessage permissionDecisionReason prompt error stdout systemPrompt append subject".split(
    " ",
  ),
)

const escape = (value: string): string => value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const linesOf = (value: string): ReadonlyArray<string> =>
  value
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** True if `part` occurs in `whole` as whole words. */
const containsWords = (whole: string, part: string): boolean =>
  whole.includes(part) && new RegExp(`(^|[^A-Za-z0-9])${escape(part)}($|[^A-Za-z0-9])`).test(whole)

/** Every string that a scenario supplies: its scripts, files, prompts and the answers of its callbacks. */
export class Sources {
  readonly strings = new Set<string>()
  readonly content = new Set<string>()

  add(value: unknown, key = ""): void {
    if (typeof value === "string") {
      this.strings.add(value)
      if (CONTENT_KEYS.has(key)) this.content.add(value)
    } else if (Array.isArray(value)) {
      for (const item of value) this.add(item, key)
    } else if (typeof value === "object" && value !== null) {
      for (const [name, item] of Object.entries(value)) this.add(item, name)
    }
  }
}

export class Texts {
  readonly cwd: string
  readonly #exact: ReadonlySet<string>
  readonly #wholes: ReadonlyArray<string>
  readonly #mentionable: ReadonlyArray<string>

  constructor(sources: Sources, cwd: string) {
    this.cwd = cwd
    const strings = [...sources.strings].map((value) => this.#normalise(value))
    this.#exact = new Set(strings.flatMap((value) => [value, ...linesOf(value)]))
    this.#wholes = strings
    this.#mentionable = [...new Set([...sources.content].flatMap((value) => linesOf(this.#normalise(value))))]
      .filter((value) => value.length >= MIN_MENTION && value.length <= 200)
      .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
  }

  /** The text in the digest's form. */
  show(raw: unknown): string {
    if (typeof raw !== "string") return "<text>"
    const value = this.#normalise(raw.replace(REMINDER, ""))
    if (value === "" || this.#exact.has(value)) return this.#clip(value)
    if (value.length > 3 && this.#wholes.some((whole) => whole.length > value.length && whole.startsWith(value))) {
      return "<partial>"
    }
    const lines = linesOf(value)
    if (lines.length > MAX_LINES) return "<text>"
    const known = lines.map((line) => this.#showLine(line)).filter((line) => line !== "<text>")
    const joined = known.join(" / ") || "<text>"
    return joined.length <= MAX_SHOWN + 20 ? joined : `<text of ${known.length} known parts>`
  }

  #normalise(value: string): string {
    return value.split(this.cwd).join("<cwd>").trim()
  }

  #clip(value: string): string {
    return value.length <= MAX_SHOWN ? value : `<verbatim ${value.length} characters>`
  }

  #showLine(line: string): string {
    if (this.#exact.has(line)) return this.#clip(line)
    const short = line.length >= 2 && line.length <= MAX_SHOWN
    if (short && this.#wholes.some((whole) => containsWords(whole, line))) return line
    const found: Array<string> = []
    for (const candidate of this.#mentionable) {
      if (containsWords(line, candidate) && !found.some((other) => other.includes(candidate))) found.push(candidate)
    }
    const shown = found.map((item) => this.#clip(item)).toSorted()
    return shown.length > 0 ? `<text~${shown.slice(0, 2).join("~")}>`.slice(0, MAX_SHOWN + 10) : "<text>"
  }
}
