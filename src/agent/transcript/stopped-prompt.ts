// Receives a prompt that a hook stopped, and the reason; returns the texts about it for clients and the model.
// Invariant: the text is the same in the notice, in the result and in the conversation.

/** The reason in texts, when a hook stopped a turn without one. */
export const NO_REASON = "no reason was given"

/** The text for users and the model about a prompt that a hook of the event stopped. */
export const stoppedText = (event: PromptEvent, reason = NO_REASON): string =>
  `A ${event} hook stopped the turn: ${reason}`

/** Events whose hooks decide whether a prompt is sent to the model. */
export type PromptEvent = "UserPromptSubmit" | "UserPromptExpansion"

export const isPromptEvent = (event: string): event is PromptEvent =>
  event === "UserPromptSubmit" || event === "UserPromptExpansion"

/** A stopped prompt, followed by the reason. As the official SDK: for a command only the reason is sent to the model. */
export const stoppedPrompt = <Prompt extends object>(queued: Prompt, event: PromptEvent, reason?: string) => {
  const stopped = stoppedText(event, reason)
  return event === "UserPromptSubmit" ? { ...queued, stopped } : { prompt: stopped }
}
