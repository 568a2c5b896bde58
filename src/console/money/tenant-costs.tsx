// The page "Costs": the costs of all sessions of the tenant, by day, model and session.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { messageOf, signedIn } from "../app/server.ts"
import { hashOf } from "../app/router.ts"
import { sessionTitle } from "../app/session-title.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { count, roundUsd, usd } from "../kit/format.ts"
import { Figures } from "./figures.tsx"
import { Chart } from "./chart.tsx"
import { CostTable } from "./cost-table.tsx"
import { type CostRow, type CostSum, sumBy } from "./day-costs.ts"
import { type DayRows, readDays } from "./read-days.ts"
import { TenantLimits } from "./tenant-limits.tsx"
import { percent, totalsOf } from "./turn-costs.ts"

const RANGES = [7, 14, 30] as const
const MAX_SESSIONS = 100

export const TenantCosts = () => {
  const days = useSignal<number>(7)
  const loaded = useSignal<ReadonlyArray<DayRows> | null>(null)
  const error = useSignal<string | null>(null)
  const attempt = useSignal(0)
  const amount = days.value
  const tries = attempt.value
  useEffect(() => {
    const stop = new AbortController()
    loaded.value = null
    error.value = null
    readDays(signedIn(), amount, stop.signal).then(
      (found) => (loaded.value = found),
      (cause: unknown) => {
        if (!stop.signal.aborted) error.value = messageOf(cause)
      },
    )
    return () => stop.abort()
  }, [amount, tries])
  return (
    <section class="money" aria-labelledby="costs-title">
      <header class="money-head">
        <h1 id="costs-title">Costs</h1>
        <label>
          Days{" "}
          <select value={String(amount)} onChange={(event) => (days.value = Number(event.currentTarget.value))}>
            {RANGES.map((range) => (
              <option key={range} value={String(range)}>
                {range}
              </option>
            ))}
          </select>
        </label>
        <button onClick={() => (attempt.value += 1)}>Refresh</button>
      </header>
      <ErrorText unread="The costs" error={error.value} onRetry={() => (attempt.value += 1)} />
      {loaded.value === null ? (
        error.value === null ? (
          <p class="loading" role="status">
            Loading…
          </p>
        ) : null
      ) : (
        <Days days={loaded.value} />
      )}
      {/* Shown only together with the costs: the part that loads last would otherwise move the other one. */}
      <div hidden={loaded.value === null && error.value === null}>
        <TenantLimits tries={tries} />
      </div>
    </section>
  )
}

const lineOf = (sum: CostSum) => ({
  ...sum,
  name: sum.key,
  usd: sum.requests > 0 && sum.unpriced === sum.requests ? null : sum.usd,
})

/** The name of each session, by its id. */
const titlesOf = (rows: ReadonlyArray<CostRow>): ReadonlyMap<string, string> =>
  new Map(
    rows.map(({ session_id: id, session_title }) => [
      id,
      sessionTitle({ id, title: null, first_prompt: session_title }),
    ]),
  )

const Days = ({ days }: { readonly days: ReadonlyArray<DayRows> }) => {
  const rows = days.flatMap((day) => day.rows)
  const sums = days.map(({ sum }) => sum)
  const totals = totalsOf(sums)
  const titles = titlesOf(rows)
  const sessions = sumBy(rows, ({ session_id }) => session_id)
  const figures: ReadonlyArray<readonly [string, string]> = [
    ["Total", usd(totals.usd)],
    ["Requests", count(sums.reduce((total, { requests }) => total + requests, 0))],
    ["Sessions", count(sessions.length)],
    ["Cache hit rate", percent(totals.hitRate)],
  ]
  return (
    <>
      <Figures figures={figures} />
      {sums.some(({ unpriced }) => unpriced > 0) ? (
        <p class="empty">Some requests were of a model without a price: the sums leave them out.</p>
      ) : null}
      <div class="charts">
        <Chart
          title="Cost per day"
          kind="bars"
          unit="Day"
          format={usd}
          formatTick={roundUsd}
          points={sums.map(({ key, usd: value }) => ({ label: key.slice(5), value }))}
        />
        <Chart
          title="Cache hit rate per day"
          kind="line"
          unit="Day"
          atLeast={1}
          format={percent}
          points={sums.map(({ key, hitRate }) => ({ label: key.slice(5), value: hitRate }))}
        />
      </div>
      {rows.length === 0 ? (
        <p class="empty">No request was sent in these days.</p>
      ) : (
        <>
          <CostTable title="By model" unit="Model" lines={sumBy(rows, ({ model }) => model).map(lineOf)} />
          <CostTable
            title={
              sessions.length > MAX_SESSIONS
                ? `By session, the ${MAX_SESSIONS} most expensive of ${sessions.length}`
                : "By session"
            }
            unit="Session"
            lines={sessions.slice(0, MAX_SESSIONS).map((sum) => ({
              ...lineOf(sum),
              name: (
                <a href={hashOf({ page: "session", id: sum.key, screen: "costs" })} title={sum.key}>
                  {titles.get(sum.key)}
                </a>
              ),
            }))}
          />
          <CostTable title="By day (UTC)" unit="Day" lines={sums.map(lineOf)} />
        </>
      )}
    </>
  )
}
