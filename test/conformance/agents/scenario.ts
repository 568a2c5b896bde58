// The shape of a scenario of agents and tasks, and the builders that scenarios share. Every call has a unique label, so that a
// recording names it the same whatever runs in parallel.
import type {
  AgentDefinition,
  CanUseTool,
  HookEvent,
  HookInput,
  HookJSONOutput,
  Options,
  Query,
  SDKMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk"

/** A content block of a scripted answer. */
export type ScriptedBlock = Readonly<Record<string, unknown>> & { readonly type: string }

/** A scripted answer; test/support/session/scripted-api.mjs describes its fields. */
export interface ScriptedTurn {
  readonly content?: ReadonlyArray<ScriptedBlock>
  readonly usage?: Readonly<Record<string, number>>
  readonly hold?: number | { readonly gate?: string; readonly until?: number }
  readonly error?: { readonly status: number; readonly type: string; readonly message: string }
  readonly drop?: { readonly after: number }
  readonly mid_error?: { readonly after: number; readonly type: string; readonly message: string }
  readonly pause?: { readonly after: number; readonly gate?: string }
  readonly stop_reason?: string
}

export type Turns = ReadonlyArray<ScriptedTurn | ReadonlyArray<ScriptedTurn>>
/** `compact` answers the request that summarizes the conversation. */
export interface FullScript {
  readonly turns: Turns
  readonly allowNoTools?: boolean
  readonly compact?: ScriptedTurn
}
export type Script = Turns | FullScript

export interface Place {
  readonly cwd: string
}

/** What the callbacks of a scenario may use. */
export interface RunContext extends Place {
  readonly name: string
  readonly previous: ReadonlyArray<{ readonly session: string; readonly messages: ReadonlyArray<SDKMessage> }>
  /** Records a fact that the scenario observed itself. */
  note(name: string, facts?: Readonly<Record<string, unknown>>): void
  /** Replaces a script: for answers that need an id from a message. */
  set(script: string, turns: Turns): Promise<void>
  /** Opens a gate of the scripted API: `SCRIPT#STEP`. */
  release(gate: string): Promise<void>
  /** Resolves when the model has received `count` requests of a script. */
  requested(script: string, count?: number): Promise<void>
  /** Resolves when a summary of the conversation has been requested. */
  summaryRequested(): Promise<void>
  /** Resolves when PreToolUse was fired for the call with this label. */
  called(label: string): Promise<void>
  /** Resolves at the next result, or when the run ends. */
  nextResult(): Promise<void>
}

export interface Step {
  readonly prompt?: string
  readonly input?: (context: RunContext) => AsyncIterable<SDKUserMessage>
  readonly options?: Options | ((context: RunContext) => Options)
  readonly hooks?: Partial<Record<HookEvent, (input: HookInput) => HookJSONOutput>>
  readonly canUseTool?: CanUseTool
  /** Called with every message; true ends the loop. */
  readonly during?: (query: Query, message: SDKMessage, context: RunContext) => Promise<boolean | void> | boolean | void
}

export interface Scenario extends Step {
  readonly name: string
  readonly script: Script | ((place: Place) => Script)
  /** Scripts of the agents, by the name that their prompts mark. */
  readonly scripts?: Readonly<Record<string, Script>> | ((place: Place) => Readonly<Record<string, Script>>)
  readonly files?: Readonly<Record<string, string>>
  readonly steps?: ReadonlyArray<Step>
  /** True if agents run in parallel: the facts of each are compared, and not how they interleave. */
  readonly lanes?: boolean
}

export const text = (value: string): ScriptedBlock => ({ type: "text", text: value })

export const call = (label: string, name: string, input: Readonly<Record<string, unknown>> = {}): ScriptedBlock => ({
  type: "tool_use",
  id: `toolu_${label}`,
  name,
  input,
})

export const bash = (label: string, command: string, extra: Readonly<Record<string, unknown>> = {}): ScriptedBlock =>
  call(label, "Bash", { command, description: "run it", ...extra })

/** A call of the agent "helper" in the foreground, which answers with `script`. */
export const delegate = (label: string, script: string, extra: Readonly<Record<string, unknown>> = {}): ScriptedBlock =>
  call(label, "Agent", {
    description: "help me",
    subagent_type: "helper",
    prompt: `[[script:${script}]] sub go`,
    run_in_background: false,
    ...extra,
  })

export const says = (value: string, extra: Omit<ScriptedTurn, "content"> = {}): ScriptedTurn => ({
  content: [text(value)],
  ...extra,
})

export const calls = (...content: ReadonlyArray<ScriptedBlock>): ScriptedTurn => ({ content })

export const done = says("Done.")

export const helper: AgentDefinition = {
  description: "Helper agent",
  prompt: "You are a helper.",
  tools: ["Read", "Bash"],
}

export const agents = { helper }

export const allow: CanUseTool = async (_name, input) => ({ behavior: "allow", updatedInput: input })

export const deny =
  (message: string, interrupt = false): CanUseTool =>
  async () => ({ behavior: "deny", message, interrupt })

export const userMessage = (content: string): SDKUserMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
})

/** Streaming input: each prompt is sent when the result of the previous one has arrived. */
export const promptsInTurn = (...prompts: ReadonlyArray<string>) =>
  async function* input(context: RunContext) {
    for (const prompt of prompts) {
      const finished = context.nextResult()
      yield userMessage(prompt)
      await finished
    }
  }

/** True for a system message of this subtype. */
export const isSystem = (message: SDKMessage, subtype: string): boolean =>
  message.type === "system" && message.subtype === subtype

/** True for the message with the result of the call with this label. */
export const isResultOf = (message: SDKMessage, label: string): boolean =>
  message.type === "user" &&
  Array.isArray(message.message.content) &&
  message.message.content.some((block) => block.type === "tool_result" && block.tool_use_id === `toolu_${label}`)
