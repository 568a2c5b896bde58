// Receives the mentions of a prompt, and the starts of subagents; adds the parts that show them.
// Invariant: a mention's range refers to the message's own text; if that text differs (a command, prompts that became one turn),
// the range is 0 to 0.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { PromptMention } from "../../schemas/log/project-events.ts"
import type { Part } from "../../schemas/parts.ts"
import { type OpenMessage, textOf } from "./turn-messages.ts"
import type { TurnState } from "./turn-state.ts"

/** Adds a part for each file, agent and resource that the prompt mentions. */
export const addMentions = (state: TurnState, event: LogEvent<"prompt:mentioned">, prompt: OpenMessage): void => {
  const { messages } = state
  const text = textOf(prompt)
  for (const mention of event.payload.mentions) {
    const { start, end, value } = mention.source
    const source = text.slice(start, end) === value ? mention.source : { value, start: 0, end: 0 }
    messages.push(event, prompt, { ...messages.base(event, prompt), ...partOf({ ...mention, source }) })
  }
}

type Bare<P> = P extends Part ? Omit<P, "id" | "sessionID" | "messageID"> : never

const partOf = (mention: PromptMention): Bare<Part> => {
  const { source: text } = mention
  if (mention.kind === "agent") return { type: "agent", name: mention.name, source: text }
  if (mention.kind === "resource") {
    const { server: clientName, uri, mime } = mention
    return { type: "file", mime, filename: uri, url: uri, source: { type: "resource", text, clientName, uri } }
  }
  const { path, mime, lines } = mention
  const range = lines === undefined ? "" : `?start=${lines.first}&end=${lines.last}`
  const url = `file://${path.split("/").map(encodeURIComponent).join("/")}${range}`
  return { type: "file", mime, filename: path.split("/").at(-1) ?? path, url, source: { type: "file", text, path } }
}

/**
 * Adds the part of a subagent that starts: to the message of the call that started it, or to the prompt if the turn's command runs
 * as the agent.
 */
export const addSubtask = (state: TurnState, event: LogEvent<"agent:started">, prompt: OpenMessage): void => {
  const { fork, tool_use_id: call, agent_type: agent, description, prompt: text } = event.payload
  const { messages } = state
  const message = fork === "prompt" ? prompt : state.calls.get(call)?.message
  if (message === undefined) return
  // For a command, `description` is its name, such as `/review`.
  const command = fork === "prompt" ? { command: description.replace(/^\//, "") } : {}
  const base = messages.base(event, message)
  messages.push(event, message, { ...base, type: "subtask", prompt: text, description, agent, ...command })
}
