// Receives the part of a call; returns the input and the outcome that its card shows.
// Invariant: pure; results that were imported from other servers may have any shape.
import { isPlainObject } from "../../../schemas/plain-object.ts"
import type { Part } from "../../store/frames.ts"
import { withoutEscapes } from "../../kit/text/without-escapes.ts"
import { safeLink } from "../markdown/safe-link.ts"
import { toolView } from "./tool-view.ts"

export interface Outcome {
  readonly output: string
  readonly error: string
  readonly links: ReadonlyArray<{ readonly url: string; readonly title: string }>
  /** Short facts below the output. */
  readonly notes: ReadonlyArray<string>
}

const NONE: Outcome = { output: "", error: "", links: [], notes: [] }

export const isSettled = ({ state }: Part): boolean => state?.status === "completed" || state?.status === "error"

/** The fields of the input that the card's title does not show whole: one line per field, else as JSON. */
export const shownInput = (part: Part): string => {
  const { title } = toolView(part)
  const input = part.state?.input ?? {}
  const isSearch = title === `${String(input["pattern"])} in ${String(input["path"])}`
  return Object.entries(input)
    .filter(([name, value]) => value !== title && !(isSearch && (name === "pattern" || name === "path")))
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n")
}

export const outcomeOf = (part: Part): Outcome => {
  const { tool, state } = part
  if (state === undefined) return NONE
  const notes = notesOf(part)
  if (state.status === "error")
    return { ...NONE, error: withoutEscapes(withoutTags(state.error ?? "The call failed.")), notes }
  const output = state.output ?? ""
  switch (tool) {
    case "edit":
    case "write":
    case "notebookedit":
    case "todowrite":
    case "task":
      // The card shows the change, the list or the report in its own form.
      return { ...NONE, notes }
    case "read":
      return { ...NONE, output: readText(part) ?? withoutNumbers(output), notes }
    case "websearch":
    case "web_search":
      return { ...NONE, ...searchResults(part, output), notes }
    default:
      return { ...NONE, output: withoutEscapes(output), notes }
  }
}

/** Removes the tags that mark an error for the model. */
const withoutTags = (text: string): string => /^<tool_use_error>([^]*)<\/tool_use_error>$/.exec(text)?.[1] ?? text

const resultOf = ({ state }: Part): Readonly<Record<string, unknown>> => {
  const result = state?.metadata?.["tool_use_result"]
  return isPlainObject(result) ? result : {}
}

/** The file's text, without the line numbers that the model reads. */
const readText = (part: Part): string | null => {
  const { type, file } = resultOf(part) as { readonly type?: unknown; readonly file?: { readonly content?: unknown } }
  return type === "text" && typeof file?.content === "string" ? file.content : null
}

/** Calls of subagents only have the model's text: removes its line numbers, unless some line has none. */
const withoutNumbers = (output: string): string => {
  const lines = output.split("\n")
  return lines.every((line) => /^ *\d+\t/.test(line))
    ? lines.map((line) => line.replace(/^ *\d+\t/, "")).join("\n")
    : output
}

const searchResults = (part: Part, output: string): Pick<Outcome, "output" | "links"> => {
  const links = linksIn(resultOf(part)["results"])
  return links.length === 0 ? { output, links } : { output: "", links }
}

/** Collects the links from the results of a search, which are nested lists mixed with texts. */
const linksIn = (value: unknown): Outcome["links"] => {
  if (Array.isArray(value)) return value.flatMap(linksIn)
  if (typeof value !== "object" || value === null) return []
  const { url, title, content }: { readonly url?: unknown; readonly title?: unknown; readonly content?: unknown } =
    value
  const link = typeof url === "string" ? safeLink(url) : null
  if (link !== null) return [{ url: link, title: typeof title === "string" && title !== "" ? title : link }]
  return linksIn(content)
}

const notesOf = (part: Part): ReadonlyArray<string> => {
  // The server sends an object.
  const { sandboxViolations } = (part["metadata"] ?? {}) as { readonly sandboxViolations?: unknown }
  const result = resultOf(part)
  const notes = Array.isArray(sandboxViolations)
    ? sandboxViolations.map((text) => `The sandbox refused: ${String(text)}`)
    : []
  if (typeof result["backgroundTaskId"] === "string")
    notes.push(`Its task in the background is ${result["backgroundTaskId"]}.`)
  if (typeof result["timedOutAfterMs"] === "number")
    notes.push(`It was stopped after ${result["timedOutAfterMs"] / 1000} s.`)
  if (result["userModified"] === true) notes.push("The user changed the proposed text.")
  if (part.state?.time !== undefined && "compacted" in part.state.time)
    notes.push("The model no longer has this output.")
  return notes
}
