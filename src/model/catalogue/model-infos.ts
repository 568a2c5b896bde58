// Returns the listed models in the form in which official clients offer them to their users.
// Invariant: each model is offered once, by its alias where it has one, and the default comes first.
import type { ModelInfo } from "../../schemas/sdk/control/control-responses.ts"
import { EFFORTS } from "../../schemas/sdk/efforts.ts"
import { DEFAULT_MODEL, listAliases, listEntries, type ModelEntry } from "./models.ts"

/** Aliases that name a role and not a model. */
const ROLES: ReadonlySet<string> = new Set(["default", "best"])

/** `models` in the response to `initialize`. */
export const modelInfos = (): ReadonlyArray<ModelInfo> => {
  const entries = listEntries()
  const nameOf = ({ id }: ModelEntry) => listAliases().find(([alias, of]) => of === id && !ROLES.has(alias))?.[0] ?? id
  return [
    ...entries.filter(({ id }) => id === DEFAULT_MODEL).map((entry) => modelInfo("default", entry)),
    ...entries.map((entry) => modelInfo(nameOf(entry), entry)),
  ]
}

const modelInfo = (value: string, entry: ModelEntry): ModelInfo => ({
  value,
  resolvedModel: entry.id,
  displayName: entry.name,
  description: `${Math.round(entry.contextWindow / 1000)}k tokens of context, $${entry.usdPerMillion.input} in and $${entry.usdPerMillion.output} out per million tokens`,
  ...(entry.effort === undefined
    ? {}
    : { supportsEffort: true, supportedEffortLevels: entry.effort.levels ?? EFFORTS }),
  ...(entry.thinking === "adaptive" ? { supportsAdaptiveThinking: true } : {}),
})
