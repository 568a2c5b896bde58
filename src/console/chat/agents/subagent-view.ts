// Receives the part of a call that starts a subagent; returns the content of its card.
import { isPlainObject } from "../../../schemas/plain-object.ts"
import { compact, counted } from "../../kit/format.ts"
import type { Part } from "../../store/frames.ts"

export interface SubagentView {
  readonly agent: string
  readonly model: string
  readonly prompt: string
  /** The subagent's last text; empty until it has ended, and always for a background subagent. */
  readonly report: string
  readonly isBackground: boolean
  readonly agentId: string
  readonly facts: ReadonlyArray<string>
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const REMINDER = /\n*<system-reminder>[\s\S]*<\/system-reminder>\s*$/

export const subagentView = ({ state }: Part): SubagentView => {
  const input = state?.input ?? {}
  const given = state?.metadata?.["tool_use_result"]
  const result = isPlainObject(given) ? given : {}
  const isBackground = result["status"] === "async_launched" || input["run_in_background"] === true
  return {
    agent: text(result["agentType"]) || text(input["subagent_type"]) || "general-purpose",
    model: text(result["resolvedModel"]),
    prompt: text(input["prompt"]),
    report:
      isBackground || state?.status !== "completed"
        ? ""
        : textOf(result["content"]) || text(state.output).replace(REMINDER, ""),
    isBackground,
    agentId: text(result["agentId"]),
    facts: factsOf(result),
  }
}

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content
        .flatMap((block: { readonly type?: unknown; readonly text?: unknown }) =>
          block?.type === "text" ? [text(block.text)] : [],
        )
        .join("\n\n")
    : ""

const factsOf = (result: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const facts: Array<string> = []
  const { totalToolUseCount: calls, totalTokens: tokens } = result
  if (typeof calls === "number") facts.push(counted(calls, "call"))
  if (typeof tokens === "number") facts.push(`${compact(tokens)} tokens`)
  return facts
}
