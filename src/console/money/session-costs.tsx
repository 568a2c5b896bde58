// The screen "Costs" of a session: its budget, the cost of each turn and model, and the share of input from the cache.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { sessionPath } from "../../client/api/transport.ts"
import type { Page, Turn } from "../../client/api/session-shapes.ts"
import { messageOf } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { count, roundUsd, usd } from "../kit/format.ts"
import type { SessionStore } from "../store/session-store.ts"
import { Figures } from "./figures.tsx"
import { BudgetBar } from "./budget-bar.tsx"
import { BudgetForm } from "./budget-form.tsx"
import { Chart } from "./chart.tsx"
import { CostTable } from "./cost-table.tsx"
import { modelLines, type SessionCost } from "./model-costs.ts"
import { percent, totalsOf, turnCosts } from "./turn-costs.ts"

interface Loaded {
  readonly cost: SessionCost
  readonly turns: ReadonlyArray<Turn>
  /** Number of older ended turns, which are not shown. */
  readonly older: number
}

/** Maximum number of turns that are read, the newest ones. */
const MAX_TURNS = 500

const readCost = ({ server, id }: SessionStore, signal: AbortSignal): Promise<SessionCost> =>
  server.transport.json("GET", sessionPath(id, "/cost"), { signal })

const load = async (store: SessionStore, signal: AbortSignal): Promise<Loaded> => {
  const [cost, found] = await Promise.all([readCost(store, signal), newestTurns(store, signal)])
  const { turns, hasOlder } = found
  if (!hasOlder) return { cost, turns, older: 0 }
  // Read after the turns, so that its count includes all of them.
  const { turns: all } = await store.server.client.session(store.id).get({ signal })
  return { cost, turns, older: Math.max(0, all - turns.filter(({ result }) => result !== null).length) }
}

interface NewestTurns {
  readonly turns: ReadonlyArray<Turn>
  /** Whether older turns exist. */
  readonly hasOlder: boolean
}

const newestTurns = async ({ server, id }: SessionStore, signal: AbortSignal): Promise<NewestTurns> => {
  const session = server.client.session(id)
  const turns: Array<Turn> = []
  let cursor: string | null = null
  do {
    const page: Page<Turn> = await session.turns({ limit: 100, ...(cursor === null ? {} : { cursor }), signal })
    turns.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && turns.length < MAX_TURNS)
  return { turns: turns.toReversed(), hasOlder: cursor !== null }
}

export const SessionCosts = ({ store }: { readonly store: SessionStore }) => {
  const loaded = useSignal<Loaded | null>(null)
  const error = useSignal<string | null>(null)
  const attempt = useSignal(0)
  const ended = store.session.value?.turns
  const tries = attempt.value
  useEffect(() => {
    const stop = new AbortController()
    error.value = null
    load(store, stop.signal).then(
      (found) => (loaded.value = found),
      (cause: unknown) => {
        if (!stop.signal.aborted) error.value = messageOf(cause)
      },
    )
    return () => stop.abort()
  }, [store, ended, tries])
  const total = store.session.value?.total_cost_usd
  // During a turn, only the costs change.
  useEffect(() => {
    const shown = loaded.peek()?.cost.total_cost_usd
    if (total === undefined || shown === undefined || total === shown) return undefined
    const stop = new AbortController()
    readCost(store, stop.signal).then(
      (cost) => {
        const known = loaded.peek()
        if (known !== null && cost.requests > known.cost.requests) loaded.value = { ...known, cost }
      },
      (cause: unknown) => {
        if (!stop.signal.aborted) error.value = messageOf(cause)
      },
    )
    return () => stop.abort()
  }, [store, total, loaded.value === null])
  const budget = store.session.value?.options["maxBudgetUsd"]
  return (
    <section class="money" aria-label="Costs of the session">
      <ErrorText unread="The costs" error={error.value} onRetry={() => (attempt.value += 1)} />
      {loaded.value === null ? (
        error.value === null ? (
          <p class="loading" role="status">
            Loading…
          </p>
        ) : null
      ) : (
        <Costs store={store} loaded={loaded.value} budget={typeof budget === "number" ? budget : null} />
      )}
    </section>
  )
}

interface CostsProps {
  readonly store: SessionStore
  readonly loaded: Loaded
  readonly budget: number | null
}

const Costs = ({ store, loaded, budget }: CostsProps) => {
  const { cost, turns, older } = loaded
  const rows = turnCosts(turns, older)
  return (
    <>
      <Totals cost={cost} />
      {cost.has_unpriced ? <p class="empty">A model of this session has no price: the sums leave it out.</p> : null}
      {budget === null ? (
        <p class="empty">This session has no budget: no cost ends its turns.</p>
      ) : (
        <BudgetBar name="Budget of the session" used={cost.budget_used_usd} limit={budget} format={usd} />
      )}
      <BudgetForm store={store} budget={budget} />
      {rows.length === 0 ? (
        <p class="empty">No turn has ended yet.</p>
      ) : (
        <>
          {older > 0 ? <p class="empty">The newest {rows.length} turns are shown.</p> : null}
          <div class="charts">
            <Chart
              title="Cost per turn"
              kind="bars"
              unit="Turn"
              format={usd}
              formatTick={roundUsd}
              points={rows.map(({ place, usd: value }) => ({ label: String(place), value }))}
            />
            <Chart
              title="Cache hit rate per turn"
              kind="line"
              unit="Turn"
              atLeast={1}
              format={percent}
              points={rows.map(({ place, hitRate }) => ({ label: String(place), value: hitRate }))}
            />
          </div>
          <CostTable
            title="By turn"
            unit="Turn"
            lines={rows
              .toReversed()
              .map((row) => ({ ...row, key: row.id, name: [row.place, ...row.models].join(" · ") }))}
          />
          <CostTable title="By model" unit="Model" lines={modelLines(cost)} />
        </>
      )}
    </>
  )
}

const Totals = ({ cost }: { readonly cost: SessionCost }) => {
  const totals = totalsOf(modelLines(cost))
  const figures: ReadonlyArray<readonly [string, string]> = [
    ["Total", usd(cost.total_cost_usd)],
    ["Requests", count(cost.requests)],
    ["Cache hit rate", percent(totals.hitRate)],
    ["Tokens in", count(totals.input + totals.cacheRead + totals.cacheWrite)],
    ["Tokens out", count(totals.output)],
  ]
  return <Figures figures={figures} />
}
