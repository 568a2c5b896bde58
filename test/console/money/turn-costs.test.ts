import { describe, expect, test } from "vitest"
import type { ResultMessage } from "../../../src/client/api/messages.ts"
import type { Turn } from "../../../src/client/api/session-shapes.ts"
import { hitRateOf, percent, totalsOf, turnCosts } from "../../../src/console/money/turn-costs.ts"

const RATES = { inputTokens: 2, outputTokens: 1, cacheReadInputTokens: 16, cacheCreationInputTokens: 2 }

/** A turn at whose end each model has written so many tokens in all; each of them comes with the others of RATES. */
const turn = (
  id: string,
  cost: number | null,
  written: Readonly<Record<string, number>>,
  more: Readonly<Record<string, unknown>> = {},
): Turn => ({
  type: "turn",
  session_id: "s",
  turn_id: id,
  status: "completed",
  joined_turn_id: null,
  pending: [],
  result: {
    type: "result",
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 80, cache_creation_input_tokens: 10 },
    modelUsage: Object.fromEntries(
      Object.entries(written).map(([model, tokens]) => [
        model,
        Object.fromEntries(Object.entries(RATES).map(([name, rate]) => [name, tokens * rate])),
      ]),
    ),
    ...more,
  } as unknown as ResultMessage, // the fields that are read
  cost_usd: cost,
  queued_at: "2026-01-31T12:00:00.000Z",
  started_at: null,
  ended_at: "2026-01-31T12:00:01.000Z",
  first_seq: 1,
  last_seq: 2,
})

describe("the costs of turns", () => {
  test("a turn has its own tokens, its share of the cache and the models whose usage increased in it", () => {
    const rows = turnCosts([
      turn("one", 0.5, { large: 5 }),
      { ...turn("joined", null, {}), result: null },
      turn("two", null, { large: 5, small: 3 }),
    ])
    expect(rows.map(({ id, place, usd, models }) => ({ id, place, usd, models }))).toEqual([
      { id: "one", place: 1, usd: 0.5, models: ["large"] },
      { id: "two", place: 2, usd: null, models: ["small"] },
    ])
    expect(rows[0]).toMatchObject({ input: 10, output: 5, cacheRead: 80, cacheWrite: 10, hitRate: 0.8 })
  })

  test("a turn has the tokens of its subagents and of a compaction, which its own usage leaves out", () => {
    const usage = { input_tokens: 0, output_tokens: 0 }
    const rows = turnCosts([
      turn("agents", 1, { large: 5, small: 10 }),
      turn("compacts", 1, { large: 5, small: 13 }, { usage, local_command: "compact" }),
      turn("fails", 0, {}),
      turn("clears", 0, {}, { local_command: "clear" }),
      turn("starts anew", 1, { large: 7 }),
    ])
    expect(rows.map(({ output, models }) => [output, models])).toEqual([
      [15, ["large", "small"]],
      [3, ["small"]],
      [0, []],
      [0, []],
      [7, ["large"]],
    ])
  })

  test("the newest turns of many have their places in the session", () => {
    const rows = turnCosts([turn("one", 1, { a: 1 }), turn("two", 1, { a: 2 })], 20)
    expect(rows.map(({ place }) => place)).toEqual([21, 22])
    // What the session had used before the first of them is unknown: that one has the usage of its own requests.
    expect(rows.map(({ input, output }) => [input, output])).toEqual([
      [10, 5],
      [2, 1],
    ])
  })

  test("counts that start again name all their models", () => {
    const [, second] = turnCosts([turn("one", 1, { large: 50 }), turn("two", 1, { large: 4 })])
    expect(second?.models).toEqual(["large"])
  })

  test("sums exclude turns without a price", () => {
    const totals = totalsOf(turnCosts([turn("one", 0.5, { a: 5 }), turn("two", null, { a: 10 })]))
    expect(totals).toEqual({ input: 20, output: 10, cacheRead: 160, cacheWrite: 20, usd: 0.5, hitRate: 0.8 })
  })

  test("without input there is no cache share", () => {
    expect(hitRateOf({ input: 0, cacheRead: 0, cacheWrite: 0 })).toBeNull()
    expect([percent(null), percent(0.456)]).toEqual(["–", "46%"])
  })
})
