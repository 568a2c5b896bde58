// Receives the turn; returns the body of its next model request, with the values for its headers.
// Invariant: the request is a function of the log, the options and the mode: what is added only to requests is never stored.
import type { MessagesRequest, RequestContext } from "../model/messages-api.ts"
import type { ImmutableMessage } from "../model/conversation-cache/immutable-message.ts"
import { DEFAULT_MODEL, resolveModel } from "../model/catalogue/models.ts"
import { windowBetas } from "../model/catalogue/window.ts"
import { betasOf, buildRequest } from "../model/request/request.ts"
import { systemPromptOf } from "../model/request/system-prompt.ts"
import { effortOf, type ThinkingOptions } from "../model/request/thinking.ts"
import type { Effort, SessionOptions } from "../schemas/sdk/options/options.ts"
import type { Tool } from "../tools/tool.ts"
import type { Turn } from "./ports.ts"

/** The id of the session's model. */
export const modelOf = (options: Pick<SessionOptions, "model" | "settings">): string =>
  resolveModel(options.model ?? options.settings?.model ?? DEFAULT_MODEL).id

/**
 * The id of the model of a turn's next request. As the official SDK: in plan mode, `opusplan` is Opus instead of Sonnet, and the
 * alias `haiku` is Sonnet.
 */
export const requestModelOf = ({ options, policy }: Pick<Turn, "options" | "policy">): string => {
  const name = policy().mode === "plan" ? (options.model ?? options.settings?.model ?? "") : ""
  if (name.trim().toLowerCase() === "opusplan") return resolveModel("opus").id
  return name === "haiku" ? resolveModel("sonnet").id : modelOf(options)
}

/** The effort of a turn's next request; null when its model has none. */
export const requestEffortOf = (turn: Pick<Turn, "options" | "policy" | "memory">): Effort | null =>
  effortOf(thinkingOptionsOf(turn.options, turn.memory.project.effort), resolveModel(requestModelOf(turn)).listed)

/** The ids of the fallback models: those of the comma-separated option, in order, each once, without the session's own. */
export const fallbackModelsOf = (
  options: Pick<SessionOptions, "model" | "settings" | "fallbackModel">,
): ReadonlyArray<string> => {
  const names = (options.fallbackModel ?? "").split(",").map((name) => name.trim())
  const ids = new Set(names.filter((name) => name !== "").map((name) => resolveModel(name).id))
  ids.delete(modelOf(options))
  return [...ids]
}

export interface StepRequestChange {
  /** Another model than the session's own: an id or alias. */
  readonly model?: string
  /** True to leave out what only some models and servers accept: betas, effort, how thinking is shown. */
  readonly plain?: boolean
  /** The longest answer in tokens; null for the longest of the model. */
  readonly maxTokens?: number | null
  /** Messages instead of the conversation's, such as those for a summary; later requests do not repeat the last of them. */
  readonly messages?: ReadonlyArray<ImmutableMessage>
  /** How many of `messages`, from the first on, may carry the cache breakpoint; by default all but the last. */
  readonly repeated?: number
}

export const stepRequest = (
  turn: Turn,
  change: StepRequestChange = {},
): { readonly request: MessagesRequest; readonly context: RequestContext; readonly model: string } => {
  const { options } = turn
  const model = change.model === undefined ? requestModelOf(turn) : resolveModel(change.model).id
  const isPlain = change.plain === true
  const names = turn.tools.map((tool) => tool.name)
  const request = buildRequest({
    model,
    system: systemOf(turn, model, names),
    messages: change.messages ?? turn.memory.transcript.messages(),
    ...(change.messages === undefined ? {} : { repeated: change.repeated ?? change.messages.length - 1 }),
    tools: toolsOf(turn.tools),
    sessionId: turn.sessionId,
    plain: isPlain,
    maxTokens: change.maxTokens,
    ...cacheTtlOf(turn),
    ...thinkingOptionsOf(options, turn.memory.project.effort),
  })
  const betas = isPlain ? [] : [...betasOf(request), ...windowBetas(options, model)]
  return { request, context: { sessionId: turn.sessionId, betas }, model }
}

/** The lifetime of cache entries. As the official SDK: subagents have a setting of their own. */
const cacheTtlOf = ({ agent, options: { settings } }: Turn): { readonly cacheTtl?: "5m" | "1h" } => {
  const cacheTtl = agent === undefined ? settings?.promptCacheTtl : settings?.subagentPromptCacheTtl
  return cacheTtl === undefined ? {} : { cacheTtl }
}

/** Memoizes `make` by the identity of its argument. */
const cached = <Key extends object, Made>(make: (key: Key) => Made): ((key: Key) => Made) => {
  const known = new WeakMap<Key, Made>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}

const toolOf = cached((tool: Tool): Record<string, unknown> => ({
  name: tool.name,
  description: tool.description,
  input_schema: tool.inputSchema,
}))

/** The tools in the API's form: the same list object for every step of a turn. */
const toolsOf = cached((tools: ReadonlyArray<Tool>) => tools.map(toolOf))

interface MadeSystem {
  readonly from: ReadonlyArray<unknown>
  readonly system: ReturnType<typeof systemPromptOf>
}

const systems = new WeakMap<ReadonlyArray<Tool>, MadeSystem>()

/** The system prompt: the same object for every step of a turn, unless its options change. */
const systemOf = (turn: Turn, model: string, tools: ReadonlyArray<string>) => {
  const { systemPrompt, appendSubagentSystemPrompt } = turn.options
  const from = [systemPrompt, turn.root, model, appendSubagentSystemPrompt]
  const known = systems.get(turn.tools)
  if (known?.from.every((value, index) => value === from[index]) === true) return known.system
  const appended = turn.agent === undefined ? [] : [appendSubagentSystemPrompt, turn.agent.definition.reminder]
  const system = systemPromptOf(
    systemPrompt,
    { cwd: turn.root, model, tools },
    appended.filter((text) => text !== undefined),
  )
  systems.set(turn.tools, { from, system })
  return system
}

/** The options for thinking. The effort of a skill of the turn wins over the options, and these over `settings`. */
const thinkingOptionsOf = (options: SessionOptions, ofSkill: SessionOptions["effort"] | null): ThinkingOptions => {
  const { thinking, maxThinkingTokens, settings, variant } = options
  const own = ofSkill ?? options.effort
  const effort = own ?? (variant === undefined ? settings?.effortLevel : undefined) ?? undefined
  const setsThinking = thinking !== undefined || maxThinkingTokens !== undefined || variant !== undefined
  const off = !setsThinking && settings?.alwaysThinkingEnabled === false
  return {
    ...(off ? { thinking: { type: "disabled" } } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(maxThinkingTokens === undefined ? {} : { maxThinkingTokens }),
    ...(variant === undefined ? {} : { variant }),
    ...(effort === undefined ? {} : { effort }),
  }
}
