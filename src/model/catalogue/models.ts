// Receives a model name or alias; returns its id and its properties: limits, thinking, effort, list prices.
// Invariant: a model that is not in the dated table passes through by name and has no entry, never another model's.
import type { Effort } from "../../schemas/sdk/options/options.ts"
import table from "./models.json" with { type: "json" }

/** USD per million tokens. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
}

/** Rates that apply up to a number of prompt tokens; the last tier has no bound. */
export interface PriceTier {
  readonly upToPromptTokens?: number
  readonly usdPerMillion: Rates
}

/** How a model's thinking is requested: with a token budget (`enabled`), or left to the model (`adaptive`). */
export type ThinkingStyle = "enabled" | "adaptive"

/** Assumed limits of a model that is not in the table, in tokens. */
const UNLISTED_CONTEXT_WINDOW = 1_000_000
const UNLISTED_MAX_OUTPUT_TOKENS = 32_000

export interface ModelEntry {
  /** The canonical id, without a date. */
  readonly id: string
  readonly name: string
  /** Tokens. */
  readonly contextWindow: number
  readonly maxOutputTokens: number
  readonly usdPerMillion: Rates
  readonly usdPerThousandWebSearches: number
  /** How many times as much the tokens of an answer in fast mode cost (`speed: fast` in its usage); 1 when it is missing. */
  readonly fastFactor?: number
  readonly tiers?: ReadonlyArray<PriceTier>
  readonly thinking: ThinkingStyle
  /** As in the official SDK: thinking of these models can't be turned off. */
  readonly alwaysThinks?: true
  /** `levels` are those that the model accepts; all of them when it is missing. */
  readonly effort?: { readonly default: Effort; readonly levels?: ReadonlyArray<Effort> }
  readonly features: ReadonlyArray<string>
}

export interface ResolvedModel {
  /** The session's name for the model: an alias is replaced, a dated id stays dated, a `[1m]` suffix stays. */
  readonly id: string
  readonly listed: ModelEntry | null
}

/** The date of the price table, which is recorded with every cost. */
export const PRICE_VERSION: string = table.asOf

export const DEFAULT_MODEL = "claude-opus-5-5"

/** The model name in answers that Perch makes itself, when no Messages API is set up. */
export const OFFLINE_MODEL = "perch-offline"

// The file is ours and the tests read every entry; its inferred type, a union of 19 literals, is less precise.
const entries = table.models as unknown as Readonly<Record<string, Omit<ModelEntry, "id">>>
const models: ReadonlyMap<string, ModelEntry> = new Map(
  Object.entries(entries).map(([id, entry]) => [id, { id, ...entry }]),
)
const aliases: ReadonlyMap<string, string> = new Map(Object.entries(table.aliases))
const datedIds: ReadonlyMap<string, string> = new Map(Object.entries(table.datedIds))

const DATE = /-\d{8}$/

/** As the official SDK: a suffix of a model's name that requests a window of a million tokens. The API does not accept it. */
const MILLION_SUFFIX = /\[1m\]$/i
const MILLION = 1_000_000

/**
 * Finds a model by alias (as in the official SDK, in upper or lower case), id or dated id (`…-20251101`). Any other name is
 * passed on with `listed: null`. A `[1m]` suffix stays, unless the model has that window anyway.
 */
export const resolveModel = (nameOrAlias: string): ResolvedModel => {
  const name = apiModelOf(nameOrAlias.trim())
  const id = aliases.get(name.toLowerCase()) ?? name
  const canonical = datedIds.get(id) ?? (models.has(id) ? id : id.replace(DATE, ""))
  const listed = models.get(canonical) ?? null
  const asksForLongWindow = asksForMillion(nameOrAlias.trim()) && (listed?.contextWindow ?? 0) < MILLION
  return { id: asksForLongWindow ? `${id}[1m]` : id, listed }
}

/** The model name that is sent to the API. */
export const apiModelOf = (id: string): string => id.replace(MILLION_SUFFIX, "")

/** True when a model's name requests the window of a million tokens. */
export const asksForMillion = (name: string): boolean => MILLION_SUFFIX.test(name)

/** The model that a request is billed to, for its price and the sums by model: as the official SDK, the requested model. */
export const billedModel = (asked: string, answered: unknown): string =>
  answered === OFFLINE_MODEL ? OFFLINE_MODEL : resolveModel(asked).id

/** The model's context window in tokens, its answer included. */
export const contextWindowOf = (model: string): number =>
  asksForMillion(model) ? MILLION : (resolveModel(model).listed?.contextWindow ?? UNLISTED_CONTEXT_WINDOW)

/** The most tokens of one answer, its thinking included. */
export const maxOutputOf = (model: string): number =>
  resolveModel(model).listed?.maxOutputTokens ?? UNLISTED_MAX_OUTPUT_TOKENS

/** Every alias of a model, with the id of that model. */
export const listAliases = (): ReadonlyArray<readonly [alias: string, id: string]> => [...aliases]

/** Every listed model, in the order of the table. */
export const listEntries = (): ReadonlyArray<ModelEntry> => [...models.values()]

/** The dated ids of a model. Any other date after its id is accepted, too. */
export const datedIdsOf = (id: string): ReadonlyArray<string> =>
  [...datedIds].filter(([, of]) => of === id).map(([dated]) => dated)
