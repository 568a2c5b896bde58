// Receives a prompt in plain English; returns the steps that it asks for, as far as fixed patterns recognize them.
// Invariant: nothing is guessed: the first part that matches no pattern ends the plan and is returned as `unclear`.

export type Step =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "edit"; readonly path: string; readonly from: string; readonly to: string; readonly all: boolean }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "find"; readonly pattern: string; readonly path: string }

export interface Plan {
  readonly steps: ReadonlyArray<Step>
  /** The part of the prompt that was not understood, if any. */
  readonly unclear: string | null
}

export interface PlanContext {
  /** Absolute, or `.` when unknown: paths then stay relative. */
  readonly cwd: string
  /** What "it" means before the plan has named a file. */
  readonly lastPath: string | null
}

/** The longest prompt that is read, in characters. */
export const MAX_PROMPT = 20_000
const MAX_STEPS = 20

const VERBS =
  "create|write|make|save|put|add|list|ls|show|read|open|print|cat|display|replace|change|run|execute|find|search|grep|look"
const SOFTENERS = "(?:(?:please|now|then|next|first|finally|also|and|can you|could you)[,:]?\\s{1,9}){0,4}"

/** The boundary between two steps: a conjunction or punctuation mark that a known verb follows. */
const BOUNDARY = new RegExp(
  `(?:[,.;]?\\s{1,9}(?:and\\s{1,9})?then[,:]?\\s{1,9}|[,;]\\s{1,9}|\\s{1,9}and\\s{1,9}|[.!]\\s{1,9}|\\n\\s{0,9}(?:[-*]\\s|\\d{1,2}[.)]\\s)?\\s{0,9})(?=${SOFTENERS}(?:${VERBS})\\b)`,
  "gi",
)
const LEADING = new RegExp(`^${SOFTENERS}`, "i")

/** A quoted piece, or a word. */
const PIECE = "(\"[^\"]+\"|`[^`]+`|'[^']+'|\\S+)"
const FILE = `((?:an?\\s+|the\\s+|new\\s+|empty\\s+|text\\s+|file\\s+|called\\s+|named\\s+)*)${PIECE}`
/** A text between spaces. It starts and ends with a non-space, so that a run of spaces can be split in only one way. */
const TEXT = "(\\S(?:[\\s\\S]*?\\S)?)"
const pattern = (source: string): RegExp => new RegExp(`^${source}$`, "i")

const WRITE = pattern(
  `(?:create|write|make|save|add)\\s+${FILE}\\s+(?:with|containing|saying|that\\s+says)(?::\\s*|\\s+)(?:the\\s+(?:text|content|contents|words?|lines?)(?::\\s*|\\s+))?([\\s\\S]+)`,
)
const WRITE_TO = pattern(`(?:write|save|put)\\s+${TEXT}\\s+(?:to|into|in)\\s+${FILE}`)
const CREATE = pattern(`(?:create|make)\\s+${FILE}`)
const READ = pattern(
  `(?:read|show|open|print|cat|display)\\s+(?:me\\s+)?(?:the\\s+contents?\\s+of\\s+)?${FILE}(?:\\s+(?:back|again))*`,
)
const LIST = pattern(
  `(?:list|ls|show)(?:\\s+me)?(?:\\s+(?:all|the|my|of))*(?:\\s+files)?(?:\\s+(?:(?:in|under)\\s+)?(?:the\\s+(?:folder|directory)\\s+)?${PIECE})?`,
)
const EDIT = pattern(
  `(?:replace|change)\\s+(all\\s+|every\\s+|each\\s+)?${TEXT}\\s+(?:with|by|to|into)\\s+${TEXT}\\s+(everywhere\\s+)?in\\s+${FILE}`,
)
const RUN = pattern("(?:run|execute)\\s+(?:the\\s+)?(?:shell\\s+)?(?:command\\s+)?([\\s\\S]+)")
const FIND = pattern(
  `(?:find|search(?:\\s+for)?|grep(?:\\s+for)?|look\\s+for)\\s+(?:the\\s+(?:text|word)\\s+)?${TEXT}\\s+(?:in|under|among)\\s+(?:(?:all\\s+|the\\s+|my\\s+|these\\s+)*(?:files?|workspace|folder|directory|project)|${FILE})`,
)

const IT = /^(?:it|that|this|them)$/i
const BARE_NAME = /[./_]|^(?:README|LICENSE|Makefile|Dockerfile)$/

/** Reads a prompt. An empty plan with `unclear` set means that nothing was understood. */
export const planOf = (prompt: string, context: PlanContext): Plan => {
  const steps: Array<Step> = []
  let lastPath = context.lastPath
  for (const part of partsOf(prompt)) {
    const step = steps.length < MAX_STEPS ? stepOf(part, { cwd: context.cwd, lastPath }) : null
    if (step === null) return { steps, unclear: part }
    steps.push(step)
    if (step.kind === "write" || step.kind === "read" || step.kind === "edit") lastPath = step.path
  }
  return { steps, unclear: steps.length === 0 ? prompt.trim() : null }
}

/** Splits a prompt at its boundaries, except those inside quotes. */
const partsOf = (text: string): ReadonlyArray<string> => {
  const prompt = text.trim().replace(/^(?:[-*]|\d{1,2}[.)])\s+/, "")
  const masked = prompt.replace(/"[^"]*"|`[^`]*`|(?<=^|[\s(])'[^'\n]*'(?=$|[\s,.;!?)])/g, (quoted) =>
    "_".repeat(quoted.length),
  )
  const parts: Array<string> = []
  let from = 0
  for (const match of masked.matchAll(BOUNDARY)) {
    parts.push(prompt.slice(from, match.index))
    from = match.index + match[0].length
  }
  parts.push(prompt.slice(from))
  return parts.map((part) => part.trim().replace(LEADING, "").trim()).filter((part) => part !== "")
}

const stepOf = (part: string, context: PlanContext): Step | null => {
  // A text for a file or a shell keeps its final full stop; a name loses it.
  const sentence = part.replace(/(?<![.!?])[.!?]+$/, "")
  return (
    editStep(sentence, context) ??
    writeStep(part, context) ??
    writeToStep(sentence, context) ??
    runStep(part) ??
    findStep(sentence, context) ??
    createStep(sentence, context) ??
    listStep(sentence, context) ??
    readStep(sentence, context)
  )
}

const writeStep = (part: string, context: PlanContext): Step | null => {
  const [, words, name, content] = WRITE.exec(part) ?? []
  const path = pathOf(words, name, context)
  return path === null || content === undefined ? null : { kind: "write", path, content: unquoted(content) }
}

const writeToStep = (part: string, context: PlanContext): Step | null => {
  const [, content, words, name] = WRITE_TO.exec(part) ?? []
  const path = pathOf(words, name, context)
  return path === null || content === undefined ? null : { kind: "write", path, content: unquoted(content) }
}

const createStep = (part: string, context: PlanContext): Step | null => {
  const [, words, name] = CREATE.exec(part) ?? []
  const path = pathOf(words, name, context)
  return path === null ? null : { kind: "write", path, content: "" }
}

const readStep = (part: string, context: PlanContext): Step | null => {
  const [, words, name] = READ.exec(part) ?? []
  const path = pathOf(words, name, context)
  return path === null ? null : { kind: "read", path }
}

const listStep = (part: string, context: PlanContext): Step | null => {
  const match = LIST.exec(part)
  if (match === null) return null
  const name = match[1]
  if (name === undefined || /^(?:files|here)$/i.test(name)) return { kind: "list", path: context.cwd }
  // "show notes.txt" is a read.
  if (/^show\b/i.test(part)) return null
  const path = pathOf("file ", name, context)
  return path === null ? null : { kind: "list", path }
}

const editStep = (part: string, context: PlanContext): Step | null => {
  const [, all, from, to, everywhere, words, name] = EDIT.exec(part) ?? []
  const path = pathOf(words, name, context)
  if (path === null || from === undefined || to === undefined) return null
  return {
    kind: "edit",
    path,
    from: unquoted(from),
    to: unquoted(to),
    all: all !== undefined || everywhere !== undefined,
  }
}

const runStep = (part: string): Step | null => {
  const [, words] = RUN.exec(part) ?? []
  if (words === undefined) return null
  const [, command] = /^`([^`]+)`[.!]?$/.exec(words) ?? []
  return { kind: "run", command: command ?? unquoted(words) }
}

const findStep = (part: string, context: PlanContext): Step | null => {
  const match = FIND.exec(part)
  const text = match?.[1]
  if (match === null || text === undefined) return null
  const path = match[3] === undefined ? context.cwd : pathOf(match[2], match[3], context)
  return path === null ? null : { kind: "find", pattern: literal(unquoted(text)), path }
}

/** A regular expression that matches the text literally. */
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** The absolute path of a name that is quoted, looks like a file name, or is called a file; "it" is the last file. */
const pathOf = (words: string | undefined, name: string | undefined, context: PlanContext): string | null => {
  if (name === undefined) return null
  if (IT.test(name) || (/^file$/i.test(name) && /\bthe\b/i.test(words ?? ""))) return context.lastPath
  const bare = unquoted(name)
  const isFile = bare !== name || BARE_NAME.test(bare) || /\b(?:file|called|named)\b/i.test(words ?? "")
  return isFile ? resolve(context.cwd, bare) : null
}

const QUOTES = /^(?:"([^"]*)"|`([^`]*)`|'([^']*)'|```\w*\n([\s\S]*?)\n?```)[.!]?$/

const unquoted = (text: string): string => {
  const trimmed = text.trim()
  const match = QUOTES.exec(trimmed)
  return match === null ? trimmed : (match[1] ?? match[2] ?? match[3] ?? match[4] ?? "")
}

/** Joins a path to the working directory and resolves `.` and `..`. For the directory `.` the result stays relative. */
const resolve = (cwd: string, path: string): string => {
  const joined = path.startsWith("/") ? path : `${cwd}/${path}`
  const absolute = joined.startsWith("/")
  const parts: Array<string> = []
  for (const part of joined.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop()
    else if (!absolute) parts.push(part)
  }
  return absolute ? `/${parts.join("/")}` : parts.join("/") || "."
}
