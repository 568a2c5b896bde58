// The turns of a session as rows of a cost table: cost, tokens, cache hit rate and models of each turn.
// Invariant: a row only counts its own turn; where the server's counts are cumulative, the previous turn's are subtracted.
import { isPlainObject } from "../../schemas/plain-object.ts"
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

const fieldOf = (record: unknown, name: string): unknown => (isPlainObject(record) ? record[name] : undefined)

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

/** The cumulative tokens of each model at the end of a turn, from its result: subagents and compactions are included. */
const tokensByModel = ({ result }: Turn): ReadonlyMap<string, Tokens> =>
  new Map(
    Object.entries(fieldOf(result, "modelUsage") ?? {}).map(([model, use]) => [
      model,
      {
        input: numberOf(use, "inputTokens"),
        output: numberOf(use, "outputTokens"),
        cacheRead: numberOf(use, "cacheReadInputTokens"),
        cacheWrite: numberOf(use, "cacheCreationInputTokens"),
      },
    ]),
  )

/** Null if nothing was added. Smaller counts than before have started again. */
const added = (now: Tokens, before: Tokens | undefined): Tokens | null => {
  const isAgain = before === undefined || now.input < before.input || now.output < before.output
  const own = isAgain
    ? now
    : {
        input: now.input - before.input,
        output: now.output - before.output,
        cacheRead: now.cacheRead - before.cacheRead,
        cacheWrite: now.cacheWrite - before.cacheWrite,
      }
  return Object.values(own).some((tokens) => tokens > 0) ? own : null
}

/** The rows for turns, the oldest first, without turns that never ran (no result). `older` is the number of earlier turns. */
export const turnCosts = (turns: ReadonlyArray<Turn>, older = 0): ReadonlyArray<TurnCost> => {
  let before: ReadonlyMap<string, Tokens> = new Map()
  return turns
    .filter(({ result }) => result !== null)
    .map((turn, index) => {
      // The counts are those of the conversation, and the result of a turn that could not run has none.
      if (fieldOf(turn.result, "local_command") === "clear") before = new Map()
      const now = tokensByModel(turn)
      const own = [...now].flatMap(([model, tokens]) => {
        const grown = added(tokens, before.get(model))
        return grown === null ? [] : [{ ...grown, model }]
      })
      if (now.size > 0) before = now
      // The counts before the first of these turns are unknown if there are older ones.
      const tokens = index === 0 && older > 0 ? usageOf(turn.result?.usage) : sumOf(own)
      return {
        ...tokens,
        id: turn.turn_id,
        place: older + index + 1,
        endedAt: turn.ended_at,
        usd: turn.cost_usd,
        hitRate: hitRateOf(tokens),
        // A turn whose requests all failed has used none.
        models: own.length > 0 ? own.map(({ model }) => model) : [...now.keys()],
      }
    })
}

export interface Totals extends Tokens {
  readonly usd: number
  readonly hitRate: number | null
}

const sumOf = (rows: ReadonlyArray<Tokens>): Tokens => {
  const sum = (value: (row: Tokens) => number) => rows.reduce((total, row) => total + value(row), 0)
  return {
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    cacheWrite: sum(({ cacheWrite }) => cacheWrite),
  }
}

export const totalsOf = (rows: ReadonlyArray<Tokens & { readonly usd: number | null }>): Totals => {
  const tokens = sumOf(rows)
  return { ...tokens, usd: rows.reduce((total, { usd }) => total + (usd ?? 0), 0), hitRate: hitRateOf(tokens) }
}

/** A share as a percentage; a dash if it is null. */
export const percent = (rate: number | null): string => (rate === null ? "–" : `${Math.round(rate * 100)}%`)
