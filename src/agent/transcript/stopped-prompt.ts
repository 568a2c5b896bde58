// Receives a prompt that a hook stopped, and why; returns what clients and the model read of it.
// Invariant: the text is the same in the notice, in the result and in the conversation.

/** Why a hook stopped a turn, when it gave no reason. */
export const NO_REASON = "no reason was given"

/** What users and the model read of a prompt that a hook of the event stopped. */
export const stoppedText = (event: PromptEvent, reason = NO_REASON): string =>
  `A ${event} hook stopped the turn: ${reason}`

/** Events whose hooks decide whether a prompt goes to the model. */
export type PromptEvent = "UserPromptSubmit" | "UserPromptExpansion"

export const isPromptEvent = (event: string): event is PromptEvent =>
  event === "UserPromptSubmit" || event === "UserPromptExpansion"

/** A prompt that a hook stopped has the reason behind it. As the official SDK: of a command the model reads the reason alone. */
export const stoppedPrompt = <Prompt extends object>(queued: Prompt, event: PromptEvent, reason?: string) => {
  const stopped = stoppedText(event, reason)
  return event === "UserPromptSubmit" ? { ...queued, stopped } : { prompt: stopped }
}
