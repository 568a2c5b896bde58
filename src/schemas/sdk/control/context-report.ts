// The report on what fills the context, which clients request over the control channel.
// Invariant: numbers are tokens or percentages, as each name indicates.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"

const opt = Schema.optionalKey

/** The answer to `get_context_usage`. */
export const SDKControlGetContextUsageResponse = open({
  categories: Schema.Array(
    open({
      id: opt(
        Schema.Literals([
          "system_prompt",
          "system_tools",
          "mcp_tools",
          "mcp_instructions",
          "mcp_tools_deferred",
          "system_tools_deferred",
          "custom_agents",
          "memory_files",
          "skills",
          "messages",
          "autocompact_buffer",
          "compact_buffer",
          "free_space",
        ]),
      ),
      name: Schema.String,
      tokens: Schema.Finite,
      color: Schema.String,
      isDeferred: opt(Schema.Boolean),
      kind: Schema.Literals(["used", "free", "buffer", "deferred"]),
    }),
  ),
  totalTokens: Schema.Finite,
  maxTokens: Schema.Finite,
  rawMaxTokens: Schema.Finite,
  percentage: Schema.Finite,
  gridRows: Schema.Array(
    Schema.Array(
      open({
        color: Schema.String,
        isFilled: Schema.Boolean,
        categoryName: Schema.String,
        tokens: Schema.Finite,
        percentage: Schema.Finite,
        squareFullness: Schema.Finite,
      }),
    ),
  ),
  model: Schema.String,
  memoryFiles: Schema.Array(open({ path: Schema.String, type: Schema.String, tokens: Schema.Finite })),
  mcpTools: Schema.Array(
    open({
      name: Schema.String,
      serverName: Schema.String,
      tokens: Schema.Finite,
      isLoaded: opt(Schema.Boolean),
    }),
  ),
  mcpInstructions: opt(Schema.Array(open({ serverName: Schema.String, tokens: Schema.Finite }))),
  deferredBuiltinTools: opt(
    Schema.Array(open({ name: Schema.String, tokens: Schema.Finite, isLoaded: Schema.Boolean })),
  ),
  systemTools: opt(Schema.Array(open({ name: Schema.String, tokens: Schema.Finite }))),
  systemPromptSections: opt(Schema.Array(open({ name: Schema.String, tokens: Schema.Finite }))),
  agents: Schema.Array(
    open({
      agentType: Schema.String,
      source: Schema.String,
      pluginId: opt(Schema.String),
      path: opt(Schema.String),
      tokens: Schema.Finite,
    }),
  ),
  slashCommands: opt(open({ totalCommands: Schema.Finite, includedCommands: Schema.Finite, tokens: Schema.Finite })),
  skills: opt(
    open({
      totalSkills: Schema.Finite,
      includedSkills: Schema.Finite,
      tokens: Schema.Finite,
      skillFrontmatter: Schema.Array(
        open({
          name: Schema.String,
          source: Schema.String,
          pluginName: opt(Schema.String),
          pluginId: opt(Schema.String),
          path: opt(Schema.String),
          tokens: Schema.Finite,
        }),
      ),
    }),
  ),
  autoCompactThreshold: opt(Schema.Finite),
  isAutoCompactEnabled: Schema.Boolean,
  messageBreakdown: opt(
    open({
      toolCallTokens: Schema.Finite,
      toolResultTokens: Schema.Finite,
      attachmentTokens: Schema.Finite,
      assistantMessageTokens: Schema.Finite,
      userMessageTokens: Schema.Finite,
      redirectedContextTokens: Schema.Finite,
      unattributedTokens: Schema.Finite,
      toolCallsByType: Schema.Array(
        open({ name: Schema.String, callTokens: Schema.Finite, resultTokens: Schema.Finite }),
      ),
      attachmentsByType: Schema.Array(open({ name: Schema.String, tokens: Schema.Finite })),
    }),
  ),
  apiUsage: Schema.NullOr(
    open({
      input_tokens: Schema.Finite,
      output_tokens: Schema.Finite,
      cache_creation_input_tokens: Schema.Finite,
      cache_read_input_tokens: Schema.Finite,
    }),
  ),
})
export type SDKControlGetContextUsageResponse = typeof SDKControlGetContextUsageResponse.Type
