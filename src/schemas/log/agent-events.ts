// The payloads of the events of subagents: the start and end of a run, and messages that are not sent to clients.

/**
 * `agent:started`: a subagent starts a run. Its messages have `thread` as their parent, the call that first started it;
 * `tool_use_id` is the call that started this run, a different one when an ended agent is resumed.
 */
export interface AgentStarted {
  readonly agent_id: string
  readonly run_id: string
  readonly thread: string
  readonly tool_use_id: string
  readonly agent_type: string
  readonly description: string
  readonly prompt: string
  /** The name that its caller gave it. */
  readonly name?: string
  readonly background: boolean
  /** The agent runs in the background, or inside an agent that does: its events belong to no turn. */
  readonly detached?: true
  /** 1 for an agent of the conversation itself. */
  readonly depth: number
  readonly parent_agent_id?: string
  /** The agent runs a command or a skill: `call` when the model called that, `prompt` when the turn's prompt did. */
  readonly fork?: "call" | "prompt"
  /** The agent's definition, with the changes that its call makes to it. */
  readonly definition: Readonly<Record<string, unknown>>
}

/** `agent:ended`: a run of a subagent has ended; `report` is its last text, `output` the structured result of its call. */
export interface AgentEnded {
  readonly agent_id: string
  readonly run_id: string
  /** `limited`: the run has reached its limit of model requests. */
  readonly status: "completed" | "limited" | "failed" | "stopped"
  readonly report: string
  /** What a failed run had written before the error that ended it, if its call returns that. */
  readonly partial?: string
  readonly output: Readonly<Record<string, unknown>>
}

/** `agent:moved`: a run that its call waited for continues in the background. */
export interface AgentMoved {
  readonly agent_id: string
  readonly run_id: string
}

/** `agent:messaged`: a message for a running subagent, sent by the call `tool_use_id`. */
export interface AgentMessaged {
  readonly agent_id: string
  readonly run_id: string
  readonly tool_use_id: string
  readonly message: string
}

/** `agent:delivered`: the first `count` messages that were sent to a run are in its conversation. */
export interface AgentDelivered {
  readonly agent_id: string
  readonly run_id: string
  readonly count: number
}

/**
 * `message:withheld`: a message that is not sent to clients, either of a subagent's conversation or with a text that a hook
 * replaced; `event` is its event's name.
 */
export interface MessageWithheld {
  readonly event: string
  readonly message: Readonly<Record<string, unknown>>
  /** The text that clients are shown: the message with the same uuid that follows contains it; if it is blank, none follows. */
  readonly shown?: string
}
