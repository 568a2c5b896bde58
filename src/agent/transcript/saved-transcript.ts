// The transcript in the form in which it is stored between two turns.
import type { TurnQueued } from "../../schemas/log/event-payloads.ts"
import type { SavedMessages } from "./conversation-messages.ts"
import type { SavedUuids } from "./exchange-uuids.ts"
import type { ToolUse } from "./tool-uses.ts"

/** The transcript in the form in which it is stored; the pages of its held messages are stored separately. */
export interface SavedTranscript extends SavedUuids {
  readonly messages: SavedMessages
  readonly prompts: ReadonlyArray<readonly [string, QueuedPrompt]>
  readonly uses: ReadonlyArray<ToolUse>
  readonly project: ReadonlyArray<string>
  readonly forked: string | null
}

export interface QueuedPrompt extends Pick<TurnQueued, "prompt" | "origin"> {
  /** The text about the hook that stopped the turn; it follows the prompt in the conversation. */
  readonly stopped?: string
}
