// The source of a conversation: the live session, a place in its past, or the run of one subagent.
import type { ReadonlySignal } from "@preact/signals"
import type { Ask } from "../../client/api/session-shapes.ts"
import type { Conversation } from "../store/conversation.ts"

export interface ChatSource {
  readonly conversation: Conversation
  readonly isLoading: ReadonlySignal<boolean>
  /** Null when the first message is loaded. */
  readonly olderCursor: ReadonlySignal<string | null>
  /** Not null when newer messages are missing. */
  readonly newerCursor?: ReadonlySignal<string | null>
  readonly error: ReadonlySignal<string | null>
  /** The open asks. */
  readonly asks: ReadonlySignal<ReadonlyArray<Ask>>
  readonly loadOlder: () => Promise<void>
  readonly loadNewer?: () => Promise<void>
  /** Replaces the loaded messages with the newest ones. */
  readonly loadNewest?: () => Promise<void>
  /** Whether the last loaded message is on the screen. */
  isAtEnd: boolean
}
