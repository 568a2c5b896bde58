// Receives a request's messages; returns the offline model's next answer: one tool call, or the end of the turn.
// Invariant: everything is read from the request alone, so the same history produces the same answer after any restart.
import * as Result from "effect/Result"
import { parseJson } from "../../schemas/bounded-json.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { blocksOf } from "../../schemas/sdk/messages/blocks.ts"
import type { MessagesRequest } from "../messages-api.ts"
import { SUMMARY_SENTENCE } from "../request/summary-request.ts"
import { MAX_PROMPT, type Plan, planOf, type Step } from "./offline-plan.ts"
import { valueOf } from "./offline-value.ts"
import { shortened } from "../../schemas/shortened.ts"

/** One answer: a text and, unless the turn is over, a tool call. */
export interface OfflineAnswer {
  readonly text: string
  readonly call: { readonly name: string; readonly input: Record<string, unknown> } | null
}

interface Call {
  readonly text: string
  readonly name: string
  readonly input: Record<string, unknown>
}

/** The result of a tool call. */
interface Outcome {
  readonly text: string
  readonly isError: boolean
}

interface Done {
  readonly ok: boolean
  readonly text: string
}

type Driver<A> = Generator<Call, A, Outcome>
type Fields = Readonly<Record<string, unknown>>

const WHO =
  "I am Perch's built-in offline model, not Claude: this server has no API key, so no language model is behind it."

const HELP = `${WHO} I follow a few plain requests with the session's real tools, alone or joined with "then":
- create notes.txt with some text
- list the files
- read notes.txt
- replace "old" with "new" in notes.txt
- run \`ls -la\`
- find "text" in the files`

const SIGNATURE = "(Perch's offline model, not Claude.)"
const MAX_QUOTE = 2000

/** Decides the next answer to a request. */
export const answerTo = (request: MessagesRequest): OfflineAnswer => {
  const { messages } = request
  const answer = answerToTool(request)
  if (answer !== null) return { text: answer, call: null }
  if (promptOf(messages.at(-1))?.includes(SUMMARY_SENTENCE) === true)
    return { text: summaryOf(messages.slice(0, -1)), call: null }
  const at = messages.findLastIndex((message) => promptOf(message) !== null)
  const prompt = at < 0 ? null : promptOf(messages[at])
  if (prompt === null) return { text: HELP, call: null }
  if (prompt.length > MAX_PROMPT) return { text: `${WHO} I only read prompts of up to 20,000 characters.`, call: null }
  const before = historyOf(messages.slice(0, at))
  const since = historyOf(messages.slice(at + 1))
  const form = formOf(request)
  const plan = planOf((form === null ? null : taskIn(prompt)) ?? prompt, {
    cwd: cwdOf(request),
    lastPath: before.findLast((one) => one.path !== null)?.path ?? null,
  })
  const ending = (text: string): OfflineAnswer =>
    form === null || since.some(({ name, outcome }) => name === FORM_TOOL && !outcome.isError)
      ? { text, call: null }
      : { text, call: { name: FORM_TOOL, input: asInput(valueOf(form, prompt)) } }
  if (plan.steps.length === 0) return ending(form === null ? (signalsFor(prompt) ?? HELP) : WHO)
  const names = new Set((request.tools ?? []).map((tool) => tool["name"]))
  const driver = drive(plan, names, knownFiles(before))
  let next = driver.next()
  for (const past of since.filter(({ name }) => name !== FORM_TOOL)) {
    if (next.done === true) break
    if (past.name !== next.value.name)
      return { text: `${WHO} I can't follow what was done before, so I stop here.`, call: null }
    next = driver.next(past.outcome)
  }
  if (next.done === true) return ending(next.value)
  return { text: next.value.text, call: { name: next.value.name, input: next.value.input } }
}

/** The tool with which the model returns a turn's structured value. */
const FORM_TOOL = "StructuredOutput"

/** The JSON Schema of the value that the turn must return, or null. */
const formOf = ({ tools = [] }: MessagesRequest): unknown =>
  tools.find((tool) => tool["name"] === FORM_TOOL)?.["input_schema"] ?? null

/** The task in an agent's prompt: its line `Task: …`. */
const taskIn = (prompt: string): string | null => /^Task: (.+)$/m.exec(prompt)?.[1] ?? null

/** A tool input must be an object: for another value it is empty, which the tool refuses as it would from any model. */
const asInput = (value: unknown): Record<string, unknown> => (isPlainObject(value) ? { ...value } : {})

/** The answer to a prompt of a workflow's agent without a session: the first signal that the prompt describes; else null. */
const signalsFor = (prompt: string): string | null => {
  const [, described] = prompt.split(/^Answer with JSON alone, in this shape: \{"signals":.*$/m)
  if (described === undefined) return null
  const [, name, text = ""] = /^- ([\w.:-]+): (\{.*\})$/m.exec(described) ?? []
  const schema = text === "{}" ? { type: "object" } : Result.getOrUndefined(parseJson(text))
  return JSON.stringify({ signals: name === undefined ? [] : [{ name, payload: valueOf(schema, prompt) }] })
}

/** The answer to a tool's own request to search the web or to read a page; null for all other requests. */
const answerToTool = ({ messages, tools = [] }: MessagesRequest): string | null => {
  if (tools.some((tool) => String(tool["type"]).startsWith("web_search")))
    return `${WHO} It can't search the web: nothing was looked up.`
  const asked = tools.length === 0 ? (promptOf(messages[0]) ?? "") : ""
  const page = /^<page url=[^\n]*\n/.exec(asked)
  return page === null
    ? null
    : `${WHO} I can't answer questions about a page. It begins:\n${fenced(asked.slice(page[0].length))}`
}

/** The answer to a compaction: all prompts so far, and all files that tool calls named. */
const summaryOf = (messages: MessagesRequest["messages"]): string => {
  const prompts = messages.flatMap((message) => promptOf(message) ?? []).map((prompt) => `- ${quote(prompt)}`)
  const paths = new Set(historyOf(messages).flatMap(({ path }) => path ?? []))
  const files = [...paths].map((path) => `- ${path}`)
  const parts = [
    `${WHO} These are the requests so far:\n${prompts.join("\n")}`,
    ...(files.length === 0 ? [] : [`Files that they touched:\n${files.join("\n")}`]),
  ]
  return `<summary>${parts.join("\n\n")}</summary>`
}

/** Runs the steps until one fails, then reports what happened. */
function* drive(plan: Plan, names: ReadonlySet<unknown>, known: Set<string>): Driver<string> {
  const lines: Array<string> = []
  for (const [index, step] of plan.steps.entries()) {
    const tool = TOOLS[step.kind]
    const done = names.has(tool)
      ? yield* run(step, known)
      : { ok: false, text: `I can't ${phrase(step)}: this session has no ${tool} tool.` }
    lines.push(done.text)
    if (done.ok) continue
    const left = plan.steps.slice(index + 1)
    if (left.length > 0) lines.push(`So I did not try to ${left.map(phrase).join(", nor to ")}.`)
    return [...lines, SIGNATURE].join("\n\n")
  }
  if (plan.unclear !== null) lines.push(`I did not understand this part and left it: "${quote(plan.unclear)}"`)
  return [...lines, SIGNATURE].join("\n\n")
}

const TOOLS = { write: "Write", read: "Read", list: "LS", edit: "Edit", run: "Bash", find: "Grep" } as const

function* run(step: Step, known: Set<string>): Driver<Done> {
  switch (step.kind) {
    case "write":
      return yield* write(step, known)
    case "edit":
      return yield* edit(step, known)
    case "read": {
      const outcome = yield* read(step.path)
      if (!outcome.isError) known.add(step.path)
      return ended(step, outcome, `${step.path} says:\n${fenced(outcome.text)}`)
    }
    case "list": {
      const outcome = yield call(step, { path: step.path })
      return ended(step, outcome, `In ${step.path}:\n${fenced(outcome.text)}`)
    }
    case "run": {
      const outcome = yield call(step, { command: step.command, description: "Run the command that the user gave" })
      return ended(step, outcome, `\`${step.command}\` printed:\n${fenced(outcome.text)}`)
    }
    case "find": {
      const outcome = yield call(step, { pattern: step.pattern, path: step.path, output_mode: "content", "-n": true })
      return ended(step, outcome, `Searching ${step.path} gave:\n${fenced(outcome.text)}`)
    }
  }
}

function* write(step: Extract<Step, { kind: "write" }>, known: Set<string>): Driver<Done> {
  const input = { file_path: step.path, content: step.content }
  let outcome = yield call(step, input)
  if (outcome.isError && /\bread\b/i.test(outcome.text) && !known.has(step.path)) {
    const seen = yield* read(step.path)
    if (seen.isError) return ended(step, seen, "")
    outcome = yield call(step, input)
  }
  if (!outcome.isError) known.add(step.path)
  return ended(step, outcome, `I wrote ${step.path} (${step.content.length} characters).`)
}

function* edit(step: Extract<Step, { kind: "edit" }>, known: Set<string>): Driver<Done> {
  if (!known.has(step.path)) {
    const seen = yield* read(step.path)
    if (seen.isError) return ended(step, seen, "")
    known.add(step.path)
  }
  const outcome = yield call(step, {
    file_path: step.path,
    old_string: step.from,
    new_string: step.to,
    replace_all: step.all,
  })
  return ended(step, outcome, `In ${step.path} I replaced "${quote(step.from)}" with "${quote(step.to)}".`)
}

function* read(path: string): Driver<Outcome> {
  return yield { text: `I will read ${path}.`, name: TOOLS.read, input: { file_path: path } }
}

const call = (step: Step, input: Record<string, unknown>): Call => ({
  text: `I will ${phrase(step)}.`,
  name: TOOLS[step.kind],
  input,
})

const ended = (step: Step, outcome: Outcome, text: string): Done =>
  outcome.isError
    ? { ok: false, text: `I could not ${phrase(step)}. The tool reported:\n${fenced(outcome.text)}` }
    : { ok: true, text }

const phrase = (step: Step): string => {
  switch (step.kind) {
    case "write":
      return `write ${step.path}`
    case "read":
      return `read ${step.path}`
    case "list":
      return `list ${step.path}`
    case "edit":
      return `edit ${step.path}`
    case "run":
      return `run \`${quote(step.command)}\``
    case "find":
      return `search ${step.path}`
  }
}

const quote = (text: string): string => shortened(text, 200)

const fenced = (text: string): string => {
  const cut = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}\n… (cut here)` : text
  return `\`\`\`\n${cut}\n\`\`\``
}

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  // The content of a tool result is a string or a list of blocks.
  return (content as ReadonlyArray<Fields>)
    .map((block) => (block["type"] === "text" ? String(block["text"]) : `[${String(block["type"])}]`))
    .join("\n")
}

const REMINDER_START = "<system-reminder>"
const REMINDER_END = "</system-reminder>"

/** Removes reminders in a single pass, since a prompt may contain more start tags than end tags. */
const withoutReminders = (text: string): string => {
  let kept = ""
  let from = 0
  for (let start = text.indexOf(REMINDER_START); start >= 0; start = text.indexOf(REMINDER_START, from)) {
    const end = text.indexOf(REMINDER_END, start)
    if (end < 0) break
    kept += text.slice(from, start)
    from = end + REMINDER_END.length
  }
  return kept + text.slice(from)
}

/** The user's own text in a message, without reminders; null when there is none. */
const promptOf = (message: MessagesRequest["messages"][number] | undefined): string | null => {
  if (message?.role !== "user") return null
  const texts = blocksOf(message.content).filter((block) => block["type"] === "text")
  const text = texts
    .map((block) => withoutReminders(String(block["text"])).trim())
    .filter((one) => one !== "")
    .join("\n")
  return text === "" || text.startsWith("[Request interrupted") ? null : text
}

interface Past {
  readonly name: string
  readonly path: string | null
  readonly outcome: Outcome
}

/** The tool calls in some messages, in order, with their results. Calls without a result are left out. */
const historyOf = (messages: MessagesRequest["messages"]): ReadonlyArray<Past> => {
  const results = new Map<unknown, Outcome>()
  for (const block of messages.flatMap(({ content }) => blocksOf(content))) {
    if (block["type"] !== "tool_result") continue
    const text = withoutReminders(textOf(block["content"]))
      .replace(/<\/?tool_use_error>/g, "")
      .trim()
    results.set(block["tool_use_id"], { text, isError: block["is_error"] === true })
  }
  return messages
    .flatMap(({ content }) => blocksOf(content))
    .flatMap((block) => {
      const outcome = block["type"] === "tool_use" ? results.get(block["id"]) : undefined
      if (outcome === undefined) return []
      const input = block["input"]
      const path = typeof input === "object" && input !== null && "file_path" in input ? input.file_path : null
      return [{ name: String(block["name"]), path: typeof path === "string" ? path : null, outcome }]
    })
}

const knownFiles = (past: ReadonlyArray<Past>): Set<string> =>
  new Set(past.flatMap((one) => (one.path !== null && !one.outcome.isError ? [one.path] : [])))

/** The working directory that the system prompt or a tool's description names; `.` when none does. */
const cwdOf = (request: MessagesRequest): string => {
  const sources = [textOf(request.system), ...(request.tools ?? []).map((tool) => textOf(tool["description"]))]
  for (const text of sources) {
    const match = /^Working directory: (\/[^\n]*)$/m.exec(text)
    if (match?.[1] !== undefined) return match[1].trim()
  }
  return "."
}
