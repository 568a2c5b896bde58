// Receives a model and the betas of a session; returns the model's context window, and the betas that enable it.
// Invariant: the beta is sent only to models that have it, and to those whose name requests it (`claude-opus-4-6[1m]`).
import { asksForMillion, contextWindowOf, resolveModel } from "./models.ts"

export const MILLION_BETA = "context-1m-2025-08-07"
const MILLION = 1_000_000

/** Models whose window of a million tokens is a beta. */
const WITH_BETA: ReadonlySet<string> = new Set([
  "claude-sonnet-4-0",
  "claude-sonnet-4-5",
  "claude-sonnet-4-6",
  "claude-opus-4-6",
])

interface Asked {
  readonly betas?: ReadonlyArray<string>
}

/** The betas that a request needs for the window. */
export const windowBetas = ({ betas = [] }: Asked, model: string): ReadonlyArray<string> => {
  const { id, listed } = resolveModel(model)
  const asksForLongWindow = asksForMillion(id) || (betas.includes(MILLION_BETA) && WITH_BETA.has(listed?.id ?? ""))
  return asksForLongWindow ? [MILLION_BETA] : []
}

/** Usage by model, with each model's window under these betas. */
export const withWindows = <Usage extends { readonly contextWindow: number }>(
  asked: Asked,
  models: Readonly<Record<string, Usage>>,
): Readonly<Record<string, Usage>> =>
  asked.betas === undefined
    ? models
    : Object.fromEntries(
        Object.entries(models).map(([model, usage]) => [model, { ...usage, contextWindow: windowOf(asked, model) }]),
      )

/** The model's context window in tokens. */
export const windowOf = (asked: Asked, model: string): number =>
  windowBetas(asked, model).length > 0 ? MILLION : contextWindowOf(model)
