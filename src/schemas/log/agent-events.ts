// The payloads of the events of subagents: when a run begins and ends, and what of its conversation clients are not sent.

/**
 * `agent:started`: a subagent begins a run. Its messages carry `thread` as their parent, the call that first began it;
 * `tool_use_id` is the call that began this run, which is another one when the agent goes on after its end.
 */
export interface AgentStarted {
  readonly agent_id: string
  readonly run_id: string
  readonly thread: string
  readonly tool_use_id: string
  readonly agent_type: string
  readonly description: string
  readonly prompt: string
  /** What its caller calls it. */
  readonly name?: string
  readonly background: boolean
  /** It runs in the background, or inside an agent that does: its events belong to no turn. */
  readonly detached?: true
  /** 1 for an agent of the conversation itself. */
  readonly depth: number
  readonly parent_agent_id?: string
  /** A command or a skill runs as it: `call` where the model called it, `prompt` where the turn's prompt did. */
  readonly fork?: "call" | "prompt"
  /** The definition that it runs by, and what its call changes of it. */
  readonly definition: Readonly<Record<string, unknown>>
}

/** `agent:ended`: a run of a subagent is over; `report` is its last text, `output` what its call gives as its result. */
export interface AgentEnded {
  readonly agent_id: string
  readonly run_id: string
  /** `limited`: it has made as many requests as it may. */
  readonly status: "completed" | "limited" | "failed" | "stopped"
  readonly report: string
  readonly output: Readonly<Record<string, unknown>>
}

/** `agent:moved`: a run whose call waited for it goes on in the background. */
export interface AgentMoved {
  readonly agent_id: string
  readonly run_id: string
}

/** `agent:messaged`: a message for a subagent that runs, sent by the call `tool_use_id`. */
export interface AgentMessaged {
  readonly agent_id: string
  readonly run_id: string
  readonly tool_use_id: string
  readonly message: string
}

/** `agent:delivered`: the first `count` messages that a run was sent are in its conversation. */
export interface AgentDelivered {
  readonly agent_id: string
  readonly run_id: string
  readonly count: number
}

/**
 * `message:withheld`: a message that clients are not sent, of a subagent's conversation, or one in whose place a hook shows
 * another text; `event` is its event's name.
 */
export interface MessageWithheld {
  readonly event: string
  readonly message: Readonly<Record<string, unknown>>
  /** What clients are shown: the message of the same uuid that follows has it, and none does when it is blank. */
  readonly shown?: string
}
