// The payloads of the events that change the model's conversation, but are no messages of it.
import type { Block } from "../sdk/messages/blocks.ts"
import type { MentionedFile } from "./project-events.ts"

/**
 * `conversation:restarted`: from here on the model's conversation is `messages`, as requests send them, and what follows.
 * Earlier messages stay in the log and in the history. The cause `media` leaves out a block that the API refused.
 */
export interface ConversationRestarted {
  readonly cause: "compact" | "clear" | "media"
  /** The API had refused the conversation that was compacted: the request is retried. */
  readonly retry?: true
  readonly messages: ReadonlyArray<{
    readonly role: "user" | "assistant"
    readonly content: ReadonlyArray<Block>
    /** The model that wrote it (assistant messages). */
    readonly model?: string | undefined
  }>
}

/**
 * `conversation:reminded`: what the model is sent again after its conversation was compacted, since a summary can't contain
 * it: files as they are now, and texts about skills in use and running tasks. Clients do not get it as a message.
 */
export interface ConversationReminded {
  readonly files: ReadonlyArray<MentionedFile>
  readonly texts: ReadonlyArray<string>
  /** The skills whose whole text is in `texts`, with the text's hash. */
  readonly skills?: ReadonlyArray<{ readonly name: string; readonly hash: string }>
}

/**
 * `plan:reminded`: a text about plan mode that the model receives with its next request, and that stays in the conversation.
 * Clients do not get it as a message.
 */
export interface PlanReminded {
  /** `rules`: plan mode applies, with its rules; `still`: it still applies; `over`: it does not apply any more. */
  readonly kind: "rules" | "still" | "over"
  readonly text: string
}
