// Receives a model name or alias; returns its id and what is known of it: limits, thinking, effort, list prices.
// Invariant: a model that is not in the dated table passes through by name and has no entry, never another model's.
import table from "./models.json" with { type: "json" }

/** USD per million tokens. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
}

/** Rates that hold up to a number of prompt tokens; the last tier has no bound. */
export interface PriceTier {
  readonly upToPromptTokens?: number
  readonly usdPerMillion: Rates
}

/** How a model is asked to think: with a token budget, or by itself. */
export type ThinkingStyle = "enabled" | "adaptive"

export interface ModelEntry {
  /** The canonical id, without a date. */
  readonly id: string
  readonly name: string
  /** Tokens. */
  readonly contextWindow: number
  readonly maxOutputTokens: number
  readonly usdPerMillion: Rates
  readonly usdPerThousandWebSearches: number
  readonly tiers?: ReadonlyArray<PriceTier>
  readonly thinking: ThinkingStyle
  readonly effort?: { readonly default: string }
  readonly features: ReadonlyArray<string>
}

export interface ResolvedModel {
  /** What is sent to the API: an alias is replaced, a dated id stays dated. */
  readonly id: string
  readonly listed: ModelEntry | null
}

/** A model as `GET /v1/models` shows it. Prices are USD per million tokens and per thousand web searches. */
export interface ModelInfo {
  readonly id: string
  readonly display_name: string
  readonly type: "model"
  readonly context_window: number
  readonly max_output_tokens: number
  readonly pricing: {
    readonly usd_per_million: Rates
    readonly usd_per_thousand_web_searches: number
    readonly tiers?: ReadonlyArray<PriceTier>
    readonly as_of: string
  }
  readonly features: ReadonlyArray<string>
  readonly aliases: ReadonlyArray<string>
  readonly thinking: ThinkingStyle
  readonly effort?: { readonly default: string }
}

/** The date of the price table: every cost carries it. */
export const PRICE_VERSION: string = table.asOf

export const DEFAULT_MODEL = "claude-opus-5-5"

// The file is ours and the tests read every entry; its inferred type is a union of 19 literals that says less.
const entries = table.models as unknown as Readonly<Record<string, Omit<ModelEntry, "id">>>
const models: ReadonlyMap<string, ModelEntry> = new Map(
  Object.entries(entries).map(([id, entry]) => [id, { id, ...entry }]),
)
const aliases: ReadonlyMap<string, string> = new Map(Object.entries(table.aliases))
const datedIds: ReadonlyMap<string, string> = new Map(Object.entries(table.datedIds))

const DATE = /-\d{8}$/

/** Finds a model by alias, id or dated id (`…-20251101`). Any other name is passed on with `listed: null`. */
export const resolveModel = (nameOrAlias: string): ResolvedModel => {
  const id = aliases.get(nameOrAlias) ?? nameOrAlias
  const canonical = datedIds.get(id) ?? (models.has(id) ? id : id.replace(DATE, ""))
  return { id, listed: models.get(canonical) ?? null }
}

/** Every listed model, in the order of the table. */
export const listModels = (): ReadonlyArray<ModelInfo> =>
  [...models.values()].map((entry) => ({
    id: entry.id,
    display_name: entry.name,
    type: "model",
    context_window: entry.contextWindow,
    max_output_tokens: entry.maxOutputTokens,
    pricing: {
      usd_per_million: entry.usdPerMillion,
      usd_per_thousand_web_searches: entry.usdPerThousandWebSearches,
      ...(entry.tiers === undefined ? {} : { tiers: entry.tiers }),
      as_of: PRICE_VERSION,
    },
    features: entry.features,
    aliases: [...aliases].filter(([, id]) => id === entry.id).map(([alias]) => alias),
    thinking: entry.thinking,
    ...(entry.effort === undefined ? {} : { effort: entry.effort }),
  }))
