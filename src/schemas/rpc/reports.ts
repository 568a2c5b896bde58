// The shapes of RPC calls between the Worker and a session's Durable Object about messages and slash commands.
import type { SessionCommand } from "../api/commands.ts"

export interface MessagesPage {
  /** The messages, each as `{info, parts}`. */
  readonly messages: ReadonlyArray<unknown>
  readonly has_more: boolean
}

/** The commands that a prompt may call; `notices` say why others are left out. */
export interface SessionCommandsReport {
  readonly data: ReadonlyArray<SessionCommand>
  readonly notices: ReadonlyArray<string>
}
