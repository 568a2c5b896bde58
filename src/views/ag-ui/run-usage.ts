// Receives the model requests of a run; returns the usage of each model as AG-UI counts it: cached tokens are part of the totals.
import type { CallFinished } from "../../schemas/log/event-payloads.ts"
import type { AgUiUsage } from "./ag-ui-event.ts"
import { usageCount } from "../../schemas/sdk/messages/usage.ts"

export class RunUsage {
  readonly #byModel = new Map<string, AgUiUsage>()

  add({ model, usage, billed_usage: billed, imported }: CallFinished): void {
    if (imported === true) return
    const counts = billed ?? usage
    const known = this.#byModel.get(model)
    const read = usageCount(counts["cache_read_input_tokens"])
    const written = usageCount(counts["cache_creation_input_tokens"])
    const inputTokens = usageCount(counts["input_tokens"]) + read + written + (known?.inputTokens ?? 0)
    const outputTokens = usageCount(counts["output_tokens"]) + (known?.outputTokens ?? 0)
    this.#byModel.set(model, {
      provider: "anthropic",
      model,
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cachedInputTokens: read + (known?.cachedInputTokens ?? 0),
      cacheWriteInputTokens: written + (known?.cacheWriteInputTokens ?? 0),
    })
  }

  /** The `usage` field of a run's last event; empty if no model request was made. */
  get field(): { readonly usage?: ReadonlyArray<AgUiUsage> } {
    return this.#byModel.size === 0 ? {} : { usage: [...this.#byModel.values()] }
  }
}
