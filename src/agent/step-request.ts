// Receives the turn; returns the body of its next model request.
import type { MessagesRequest, RequestContext } from "../model/messages-api.ts"
import { DEFAULT_MODEL, resolveModel } from "../model/models.ts"
import { betasOf, buildRequest } from "../model/request.ts"
import { systemPromptOf } from "../model/system-prompt.ts"
import type { TurnContext } from "./ports.ts"

export const modelOf = (options: { readonly model?: string }): string => resolveModel(options.model ?? DEFAULT_MODEL).id

export const stepRequest = (
  turn: TurnContext["Service"],
): { readonly request: MessagesRequest; readonly context: RequestContext } => {
  const { options } = turn
  const model = modelOf(options)
  const system = systemPromptOf(options.systemPrompt, {
    cwd: turn.cwd,
    model,
    tools: turn.tools.map((tool) => tool.name),
  })
  const request = buildRequest({
    model,
    system,
    messages: turn.memory.transcript.messages(),
    tools: turn.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema,
    })),
    sessionId: turn.sessionId,
    ...(options.thinking === undefined ? {} : { thinking: options.thinking }),
    ...(options.maxThinkingTokens === undefined ? {} : { maxThinkingTokens: options.maxThinkingTokens }),
    ...(options.effort === undefined ? {} : { effort: options.effort }),
  })
  return { request, context: { sessionId: turn.sessionId, betas: betasOf(model) } }
}
