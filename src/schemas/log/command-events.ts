// The payloads of events about slash commands.
// Invariant: names and fields are stored, so they may be added, but never renamed.
import type { Content } from "../sdk/messages/blocks.ts"

/** `command:invoked`: the turn's prompt calls a slash command. */
export interface CommandInvoked {
  readonly name: string
  readonly arguments: string
  readonly source: string
  /** What the model gets instead of the prompt; absent until the command's scripts have run, and when there is an `answer`. */
  readonly prompt?: Content
  /** The template with its arguments: `texts` has one entry more than `scripts`, whose outputs go between the texts. */
  readonly template?: { readonly texts: ReadonlyArray<string>; readonly scripts: ReadonlyArray<string> }
  /** The text that ends the turn without a model request. */
  readonly answer?: string
  /** The answer is the command's output, not a reason why the command can't run. */
  readonly local?: true
  /** The command belongs to a terminal: the answer says so. */
  readonly unavailable?: true
  /** The model, effort and tools of the command apply to this turn alone. */
  readonly model?: string
  readonly effort?: string
  readonly allowed_tools?: ReadonlyArray<string>
  readonly disallowed_tools?: ReadonlyArray<string>
  /** The command runs as a subagent: `prompt` is the agent's, and what the agent reports is the answer. */
  readonly fork?: CommandFork
}

/** The subagent that executes a command, and what the command changes in its definition. */
export interface CommandFork {
  readonly agent: string
  readonly model?: string
  readonly effort?: string
}

/** `command:answered`: the report of the subagent of the turn's command; `call` is the command as it was typed. */
export interface CommandAnswered {
  readonly call: string
  readonly answer: string
  /** A client stopped the subagent, so there is no answer. */
  readonly stopped?: true
}

/** `command:ran`: a script of the turn's command has run, or was refused; `text` is inserted into the prompt in its place. */
export interface CommandRan {
  readonly tool_use_id: string
  readonly command: string
  readonly text: string
  readonly is_error?: true
  /** The script was not allowed to run. */
  readonly denied?: true
}

/** `command:expanded`: the prompt that the command becomes, once its scripts have run. */
export interface CommandExpanded {
  readonly prompt: Content
}
