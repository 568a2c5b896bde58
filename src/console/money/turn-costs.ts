// The turns of a session as rows of a cost table: cost, tokens, cache hit rate and models of each turn.
// Invariant: a row only counts its own turn; where the server's counts are cumulative, the previous turn's are subtracted.
import type { Turn } from "../../client/api/session-shapes.ts"

export interface Tokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export interface TurnCost extends Tokens {
  readonly id: string
  /** The turn's number in the session, from 1. */
  readonly place: number
  readonly endedAt: string | null
  /** In US dollars; null when a model has no price. */
  readonly usd: number | null
  readonly hitRate: number | null
  readonly models: ReadonlyArray<string>
}

/** The share of the input that was read from the cache, 0 to 1; null without input. */
export const hitRateOf = ({ input, cacheRead, cacheWrite }: Omit<Tokens, "output">): number | null => {
  const all = input + cacheRead + cacheWrite
  return all === 0 ? null : cacheRead / all
}

const fieldOf = (record: unknown, name: string): unknown =>
  typeof record === "object" && record !== null ? Reflect.get(record, name) : undefined

const numberOf = (record: unknown, name: string): number => {
  const value = fieldOf(record, name)
  return typeof value === "number" ? value : 0
}

const usageOf = (usage: unknown): Tokens => ({
  input: numberOf(usage, "input_tokens"),
  output: numberOf(usage, "output_tokens"),
  cacheRead: numberOf(usage, "cache_read_input_tokens"),
  cacheWrite: numberOf(usage, "cache_creation_input_tokens"),
})

/** The cumulative tokens of each model at the end of a turn, from its result. */
const writtenOf = (turn: Turn): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(fieldOf(turn.result, "modelUsage") ?? {}).map(([model, use]) => [
      model,
      numberOf(use, "outputTokens") + numberOf(use, "inputTokens") + numberOf(use, "cacheReadInputTokens"),
    ]),
  )

/** The rows for turns, the oldest first, without turns that never ran (no result). `older` is the number of earlier turns. */
export const turnCosts = (turns: ReadonlyArray<Turn>, older = 0): ReadonlyArray<TurnCost> => {
  let before: ReadonlyMap<string, number> = new Map()
  return turns
    .filter(({ result }) => result !== null)
    .map((turn, index) => {
      const written = writtenOf(turn)
      const grown = [...written].filter(([model, tokens]) => tokens > (before.get(model) ?? 0)).map(([model]) => model)
      before = written
      const tokens = usageOf(turn.result?.usage)
      return {
        ...tokens,
        id: turn.turn_id,
        place: older + index + 1,
        endedAt: turn.ended_at,
        usd: turn.cost_usd,
        hitRate: hitRateOf(tokens),
        // After a compaction the counts may restart, so that none has increased.
        models: grown.length > 0 ? grown : [...written.keys()],
      }
    })
}

export interface Totals extends Tokens {
  readonly usd: number
  readonly hitRate: number | null
}

export const totalsOf = (rows: ReadonlyArray<Tokens & { readonly usd: number | null }>): Totals => {
  const sum = (value: (row: Tokens & { readonly usd: number | null }) => number) =>
    rows.reduce((total, row) => total + value(row), 0)
  const tokens = {
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    cacheWrite: sum(({ cacheWrite }) => cacheWrite),
  }
  return { ...tokens, usd: sum(({ usd }) => usd ?? 0), hitRate: hitRateOf(tokens) }
}

/** A share as a percentage; a dash if it is null. */
export const percent = (rate: number | null): string => (rate === null ? "–" : `${Math.round(rate * 100)}%`)
