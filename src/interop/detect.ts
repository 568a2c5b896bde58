// Receives what a deployment has for the full agent; returns whether it can run, and why.
import type { Availability } from "./router.ts"

export interface ModelSetting {
  /** A key, or an address, of a Messages API is configured. */
  readonly configured: boolean
  /** The model that the session asks for. */
  readonly model: string
  /** The model's id, or undefined for a name that means none. */
  readonly resolve: (model: string) => string | undefined
}

/** The full agent needs a model that is configured and whose name resolves. */
export const detectClaudeCode = ({ configured, model, resolve }: ModelSetting): Availability => {
  if (!configured) return { available: false, reason: "No model is configured. Set ANTHROPIC_API_KEY." }
  const id = resolve(model)
  if (id === undefined) return { available: false, reason: `The model ${JSON.stringify(model)} is unknown.` }
  return { available: true, reason: `The model ${id} is configured.` }
}
