// The texts of an ask: its title, who asks, what the call would do, the rules that `always` saves, and the remaining time.
// Invariant: nothing here accesses the page, so a text is the same wherever it is shown.
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { Ask } from "../../client/api/session-shapes.ts"
import { shorten } from "../kit/text/cut-text.ts"
import { visibleJson, visibleText } from "../kit/text/visible-text.ts"
import type { Part } from "../store/frames.ts"

/** A value of the input, shown on a separate line. */
export interface InputField {
  readonly name: string
  readonly text: string
  /** True if it is shown as a block, because it has several lines or many characters. */
  readonly isLong: boolean
}

const LONG = 80

const TITLES: Readonly<Record<string, (ask: Ask) => string>> = {
  permission: ({ tool_name }) => `Allow ${tool_name}?`,
  question: () => "A question for you",
  plan: () => "A plan to approve",
  client_tool: ({ tool_name }) => `Result of ${tool_name} needed`,
  outcome: ({ tool_name }) => `What came of ${tool_name}?`,
  elicitation: ({ input, tool_name }) => `${textOf(input["mcp_server_name"]) ?? tool_name} asks you`,
}

export const titleOf = (ask: Ask): string => visibleText(TITLES[ask.kind]?.(ask) ?? `${ask.tool_name} waits for you`)

/** The name of the subagent that makes the call: its type if only one is running; null for the main agent. */
export const agentOf = ({ agent_id: id }: Ask, running: ReadonlyArray<string> = []): string | null => {
  if (id === undefined) return null
  const type = running.length === 1 ? running[0] : undefined
  return type === undefined ? `Subagent ${id}` : `Subagent ${type} (${id})`
}

/** The types of the subagents that are running in calls of these parts. */
export const runningAgents = (parts: Iterable<Part>): ReadonlyArray<string> =>
  [...parts].flatMap(({ tool, state }) =>
    tool === "task" && state?.status === "running" ? [textOf(state.input?.["subagent_type"]) ?? "general-purpose"] : [],
  )

/** A summary of the input in one line, for lists and announcements; null if it has none. */
export const summaryOf = ({ input }: Ask): string | null => {
  const named = ["command", "file_path", "notebook_path", "path", "url", "query", "pattern", "message"]
  const text = named.map((name) => textOf(input[name])).find((value) => value !== undefined)
  return text === undefined ? null : shorten(visibleText(text), LONG)
}

/** The input's fields in order; texts as they are, everything else as JSON. */
export const fieldsOf = (input: Ask["input"]): ReadonlyArray<InputField> =>
  Object.entries(input).map(([name, value]) => {
    const text = typeof value === "string" ? visibleText(value) : visibleJson(value)
    return { name: visibleText(name), text, isLong: text.length > LONG || text.includes("\n") }
  })

/** The rules that the reply `always` would save, one line each; empty if that reply is not possible. */
export const savedBy = ({ always = [] }: Ask): ReadonlyArray<string> =>
  always.map(({ permission, pattern }) => visibleText(`${permission}: ${pattern}`))

/** The time until an ask expires, in its largest unit; at least "now". */
export const remaining = (expiresAt: string, now: number): string => {
  const seconds = Math.ceil((Date.parse(expiresAt) - now) / 1000)
  if (seconds <= 0) return "expires now"
  if (seconds < 60) return `expires in ${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `expires in ${minutes} min`
  return `expires in ${Math.round(minutes / 60)} h`
}

/** The time until the countdown must be updated, in milliseconds. */
export const nextTick = (expiresAt: string, now: number): number =>
  Date.parse(expiresAt) - now < 120_000 ? 1000 : 30_000

/** Asks that disappeared between two lists and that this page did not settle. */
export const settledElsewhere = (
  before: ReadonlyArray<Ask>,
  after: ReadonlyArray<Ask>,
  answeredHere: ReadonlySet<string>,
): ReadonlyArray<Ask> => {
  const open = new Set(after.map(({ request_id }) => request_id))
  return before.filter(({ request_id: id }) => !open.has(id) && !answeredHere.has(id))
}

/** Parses a JSON object that a person typed; returns the problem if it is invalid. */
export const parseInput = (text: string): { readonly input: Ask["input"] } | { readonly problem: string } => {
  try {
    const value: unknown = JSON.parse(text)
    if (isPlainObject(value)) return { input: value }
    return { problem: "The input must be a JSON object." }
  } catch (error) {
    return { problem: `The input is not JSON: ${error instanceof Error ? error.message : String(error)}.` }
  }
}

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
