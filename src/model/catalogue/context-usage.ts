// Receives the parts of a session's requests; returns how they fill the model's context: the response to
// `get_context_usage`. Invariant: the categories add up to the window unless the conversation exceeds it; the API's own
// counts take precedence over estimates.
import type { SDKControlGetContextUsageResponse } from "../../schemas/sdk/control/context-report.ts"
import { contextGrid } from "./context-grid.ts"
import { estimateMessages, estimateTokens } from "./estimate.ts"
import { blocksOf } from "../../schemas/sdk/messages/blocks.ts"
import type { Message } from "../request/message-blocks.ts"
import { contextWindowOf, resolveModel } from "./models.ts"

type Report = SDKControlGetContextUsageResponse
type Category = Report["categories"][number]

export interface ContextParts {
  /** An id or alias. */
  readonly model: string
  /** The system blocks, or a text. */
  readonly system: unknown
  /** `tokensText` is the tool as the model reads it; `mcp` is the server's name. */
  readonly tools: ReadonlyArray<{ readonly name: string; readonly tokensText: string; readonly mcp?: string }>
  readonly messages: ReadonlyArray<Message>
  /** The share of the messages that is project instructions and skills, and the agents that the model may call. */
  readonly lists?: Pick<Report, "agents" | "memoryFiles" | "skills">
  /** Usage of the latest answer; null before the first one, and after the conversation was cut or compacted. */
  readonly apiUsage: Report["apiUsage"]
  /** Tokens at which the conversation is compacted automatically; missing when it is not. */
  readonly autoCompactThreshold?: number
  /** The model's context window in tokens; when missing, that of its catalogue entry. */
  readonly window?: number
}

export const contextUsage = (parts: ContextParts): Report => {
  const window = parts.window ?? contextWindowOf(parts.model)
  const tools = parts.tools.map((tool) => ({ ...tool, tokens: estimateTokens(tool.tokensText) }))
  const systemTools = tools.filter(({ mcp }) => mcp === undefined).map(({ name, tokens }) => ({ name, tokens }))
  const mcpTools = tools.flatMap(({ name, mcp, tokens }) =>
    mcp === undefined ? [] : [{ name, serverName: mcp, tokens, isLoaded: true }],
  )
  const system = estimateTokens(parts.system)
  const fixed = system + sumOf(systemTools) + sumOf(mcpTools)
  const sent = parts.apiUsage === null ? estimateMessages(parts.messages) : Math.max(0, counted(parts.apiUsage) - fixed)
  const total = fixed + sent
  const { agents = [], memoryFiles = [], skills } = parts.lists ?? {}
  const memory = Math.min(sent, sumOf(memoryFiles))
  const listed = Math.min(sent - memory, skills?.tokens ?? 0)
  const messages = sent - memory - listed
  const threshold = parts.autoCompactThreshold
  /** What is reserved for compaction at the end of the window, as far as it is still free. */
  const buffer = threshold === undefined ? 0 : Math.max(0, window - Math.max(threshold, total))
  // Their list is in the description of the Agent tool.
  const listedAgents = Math.min(sumOf(systemTools), sumOf(agents))
  const categories: ReadonlyArray<Category> = [
    { id: "system_prompt", name: "System prompt", tokens: system, color: "blue", kind: "used" },
    { id: "system_tools", name: "Tools", tokens: sumOf(systemTools) - listedAgents, color: "cyan", kind: "used" },
    { id: "mcp_tools", name: "MCP tools", tokens: sumOf(mcpTools), color: "magenta", kind: "used" },
    { id: "custom_agents", name: "Agents", tokens: listedAgents, color: "pink", kind: "used" },
    { id: "memory_files", name: "Memory files", tokens: memory, color: "yellow", kind: "used" },
    { id: "skills", name: "Skills", tokens: listed, color: "orange", kind: "used" },
    { id: "messages", name: "Messages", tokens: messages, color: "green", kind: "used" },
    { id: "autocompact_buffer", name: "Kept for compaction", tokens: buffer, color: "gray", kind: "buffer" },
    { id: "free_space", name: "Free", tokens: Math.max(0, window - total - buffer), color: "white", kind: "free" },
  ]
  return {
    categories: categories.filter(({ tokens }) => tokens > 0),
    totalTokens: total,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: Math.round((total / window) * 100),
    gridRows: contextGrid(categories, window),
    model: resolveModel(parts.model).id,
    memoryFiles,
    mcpTools,
    systemTools,
    agents,
    ...(skills === undefined ? {} : { skills }),
    ...(threshold === undefined ? {} : { autoCompactThreshold: threshold }),
    isAutoCompactEnabled: threshold !== undefined,
    messageBreakdown: breakdownOf(parts.messages, sent),
    apiUsage: parts.apiUsage,
  }
}

/** The tokens of all items. */
export const sumOf = (items: ReadonlyArray<{ readonly tokens: number }>): number =>
  items.reduce((sum, { tokens }) => sum + tokens, 0)

/** The tokens of the last request. As the official SDK: those of its answer are not counted yet. */
const counted = (usage: NonNullable<Report["apiUsage"]>): number =>
  usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens

/** Estimated tokens of the messages by author and kind; the rest of `total` is unattributed. */
const breakdownOf = (messages: ReadonlyArray<Message>, total: number): NonNullable<Report["messageBreakdown"]> => {
  const names = new Map<unknown, string>()
  const calls = new Map<string, { callTokens: number; resultTokens: number }>()
  const attachments = new Map<string, number>()
  const byRole = { user: 0, assistant: 0 }
  const callsOf = (name: string) => {
    const sums = calls.get(name) ?? { callTokens: 0, resultTokens: 0 }
    calls.set(name, sums)
    return sums
  }
  for (const message of messages) {
    for (const block of blocksOf(message.content)) {
      const tokens = estimateTokens(block)
      const type = String(block["type"])
      if (type === "tool_use") {
        names.set(block["id"], String(block["name"]))
        callsOf(String(block["name"])).callTokens += tokens
      } else if (type === "tool_result") {
        callsOf(names.get(block["tool_use_id"]) ?? "unknown").resultTokens += tokens
      } else if (type === "image" || type === "document") {
        attachments.set(type, (attachments.get(type) ?? 0) + tokens)
      } else {
        byRole[message.role] += tokens
      }
    }
  }
  const toolCallsByType = [...calls].map(([name, sums]) => ({ name, ...sums }))
  const attachmentsByType = [...attachments].map(([name, tokens]) => ({ name, tokens }))
  const parts = {
    toolCallTokens: toolCallsByType.reduce((sum, { callTokens }) => sum + callTokens, 0),
    toolResultTokens: toolCallsByType.reduce((sum, { resultTokens }) => sum + resultTokens, 0),
    attachmentTokens: sumOf(attachmentsByType),
    assistantMessageTokens: byRole.assistant,
    userMessageTokens: byRole.user,
  }
  const attributed = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0)
  return {
    ...parts,
    redirectedContextTokens: 0,
    unattributedTokens: Math.max(0, total - attributed),
    toolCallsByType,
    attachmentsByType,
  }
}
