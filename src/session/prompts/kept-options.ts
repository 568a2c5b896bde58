// Receives the options of a session and those with which a client resumes or forks it; returns what is kept of the first.
// As the official SDK: a conversation keeps its model and its system prompt until another one is named. Unlike there, a named system
// prompt takes effect at once (docs/decisions/official-sdk/named-system-prompt.md).
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"

export const keptOptions = (
  { model, settings, systemPrompt }: SessionOptions,
  given: SessionOptions,
): Pick<SessionOptions, "model" | "systemPrompt"> => {
  const known = given.model ?? model ?? settings?.model
  const prompt = given.systemPrompt ?? systemPrompt
  return {
    ...(known === undefined ? {} : { model: known }),
    ...(prompt === undefined ? {} : { systemPrompt: prompt }),
  }
}
