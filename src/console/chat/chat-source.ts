// What a conversation is read from: the live session, a place of its past, or the run of one subagent.
import type { ReadonlySignal } from "@preact/signals"
import type { Ask } from "../../client/api/session-shapes.ts"
import type { Conversation } from "../store/conversation.ts"

export interface ChatSource {
  readonly conversation: Conversation
  readonly isLoading: ReadonlySignal<boolean>
  /** Null when the first message is shown. */
  readonly olderCursor: ReadonlySignal<string | null>
  readonly error: ReadonlySignal<string | null>
  /** What waits for an answer of a person. */
  readonly asks: ReadonlySignal<ReadonlyArray<Ask>>
  readonly loadOlder: () => Promise<void>
  /** Whether the newest message is on the screen. */
  isAtEnd: boolean
}
