// Returns the models as `GET /v1/models` shows them: under Perch's names, and under those of opencode's `Provider.list`.
// Invariant: the listed prices are those with which costs are computed.
import { variantsOf } from "../request/variants.ts"
import type { Variant } from "../../schemas/sdk/options/variants.ts"
import type { VariantEffect } from "../request/variants.ts"
import {
  datedIdsOf,
  listAliases,
  listEntries,
  type ModelEntry,
  PRICE_VERSION,
  type PriceTier,
  type Rates,
  resolveModel,
  type ThinkingStyle,
} from "./models.ts"
import { MILLION_BETA, windowOf } from "./window.ts"

/** A model as `GET /v1/models` shows it. Prices are USD per million tokens and per thousand web searches. */
export interface ModelInfo extends ProviderModel {
  readonly display_name: string
  readonly type: "model"
  readonly dated_ids: ReadonlyArray<string>
  readonly context_window: number
  readonly max_output_tokens: number
  /** The larger context window that a beta enables, in tokens; missing when there is none. */
  readonly context_with_beta?: { readonly beta: string; readonly context_window: number }
  readonly pricing: {
    readonly usd_per_million: Rates
    readonly usd_per_thousand_web_searches: number
    readonly tiers?: ReadonlyArray<PriceTier>
    readonly as_of: string
  }
  readonly aliases: ReadonlyArray<string>
  readonly thinking: ThinkingStyle
  readonly effort?: { readonly default: string }
}

/** A model as in opencode's `Provider.list`: `cost` is USD per million tokens, `context` its window in tokens. */
export interface ProviderModel {
  readonly id: string
  readonly name: string
  readonly cost: {
    readonly input: number
    readonly output: number
    readonly cache: { readonly read: number; readonly write: number }
  }
  readonly context: number
  readonly features: ReadonlyArray<string>
  readonly variants: Readonly<Record<Variant, VariantEffect>>
}

const MILLION_FEATURE = "1m-context"

const providerModel = (entry: ModelEntry): ProviderModel => {
  const { input, output, cacheRead, cacheWrite5m } = entry.usdPerMillion
  const opens = windowWithBeta(entry) !== undefined && !entry.features.includes(MILLION_FEATURE)
  return {
    id: entry.id,
    name: entry.name,
    cost: { input, output, cache: { read: cacheRead, write: cacheWrite5m } },
    context: entry.contextWindow,
    features: [...entry.features, ...(opens ? [MILLION_FEATURE] : [])],
    variants: variantsOf(entry),
  }
}

const windowWithBeta = ({ id, contextWindow }: ModelEntry): number | undefined => {
  const window = windowOf({ betas: [MILLION_BETA] }, id)
  return window > contextWindow ? window : undefined
}

const modelInfo = (entry: ModelEntry): ModelInfo => {
  const wider = windowWithBeta(entry)
  return {
    ...providerModel(entry),
    display_name: entry.name,
    type: "model",
    dated_ids: datedIdsOf(entry.id),
    context_window: entry.contextWindow,
    max_output_tokens: entry.maxOutputTokens,
    ...(wider === undefined ? {} : { context_with_beta: { beta: MILLION_BETA, context_window: wider } }),
    pricing: {
      usd_per_million: entry.usdPerMillion,
      usd_per_thousand_web_searches: entry.usdPerThousandWebSearches,
      ...(entry.tiers === undefined ? {} : { tiers: entry.tiers }),
      as_of: PRICE_VERSION,
    },
    aliases: listAliases()
      .filter(([, id]) => id === entry.id)
      .map(([alias]) => alias),
    thinking: entry.thinking,
    ...(entry.effort === undefined ? {} : { effort: { default: entry.effort.default } }),
  }
}

/** Every listed model, in the order of the table. */
export const listModels = (): ReadonlyArray<ModelInfo> => listEntries().map(modelInfo)

/** The model with this id, dated id or alias; null when it is not listed. */
export const modelNamed = (name: string): ModelInfo | null => {
  const { listed } = resolveModel(name)
  return listed === null ? null : modelInfo(listed)
}

/** `Provider.list`: one provider with its models by id, which is the dated one if the table has one. */
export const listProviders = () => [
  {
    id: "anthropic",
    name: "Anthropic",
    models: Object.fromEntries(
      listEntries().map((entry) => {
        const id = datedIdsOf(entry.id)[0] ?? entry.id
        return [id, { ...providerModel(entry), id }]
      }),
    ),
  },
]
