// The payloads of events about slash commands.
// Invariant: names and fields are stored: they are added to, and never renamed.

/** `command:invoked`: the turn's prompt calls a slash command. */
export interface CommandInvoked {
  readonly name: string
  readonly arguments: string
  readonly source: string
  /** What the model gets in the prompt's place; absent until the command's scripts have run, and where `answer` is. */
  readonly prompt?: string | ReadonlyArray<Record<string, unknown>>
  /** The template with its arguments: `texts` has one more than `scripts`, whose outputs belong between them. */
  readonly template?: { readonly texts: ReadonlyArray<string>; readonly scripts: ReadonlyArray<string> }
  /** The end of the turn: the model is not asked. */
  readonly answer?: string
  /** The answer is the command's own, and not a reason why it can't run. */
  readonly local?: true
  /** What holds for this turn alone. */
  readonly model?: string
  readonly effort?: string
  readonly allowed_tools?: ReadonlyArray<string>
  /** The command runs as a subagent: `prompt` is the agent's, and what the agent reports is the answer. */
  readonly fork?: CommandFork
}

/** The subagent that carries a command out, and what the command changes of its definition. */
export interface CommandFork {
  readonly agent: string
  readonly model?: string
  readonly effort?: string
}

/** `command:answered`: what the subagent of the turn's command has reported; `call` is the command as it was typed. */
export interface CommandAnswered {
  readonly call: string
  readonly answer: string
}

/** `command:ran`: a script of the turn's command has run, or was refused; `text` is what its place in the prompt gets. */
export interface CommandRan {
  readonly tool_use_id: string
  readonly command: string
  readonly text: string
  readonly is_error?: true
  /** It was not allowed to run. */
  readonly denied?: true
}

/** `command:expanded`: what the command becomes, once its scripts have run. */
export interface CommandExpanded {
  readonly prompt: string | ReadonlyArray<Record<string, unknown>>
}
