// Receives the model setting of a deployment; returns whether the full agent can run, and why.
import type { Availability } from "./router.ts"

/** The model setting of a deployment and a session. */
export interface ModelSetting {
  /** Whether a key or an address of a Messages API is configured. */
  readonly configured: boolean
  /** The name of the session's model. */
  readonly model: string
  /** Returns the id of a model, or undefined for an unknown name. */
  readonly resolve: (model: string) => string | undefined
}

/** The full agent is available when a model is configured and its name resolves. */
export const detectClaudeCode = ({ configured, model, resolve }: ModelSetting): Availability => {
  if (!configured) return { available: false, reason: "No model is configured. Set ANTHROPIC_API_KEY." }
  const id = resolve(model)
  if (id === undefined) return { available: false, reason: `The model ${JSON.stringify(model)} is unknown.` }
  return { available: true, reason: `The model ${id} is configured.` }
}
