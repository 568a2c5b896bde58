// Reads the tenant's costs for each of the last days: a week in parallel, page by page.
import { serverNow } from "../store/server-time.ts"
import type { Server } from "../app/server.ts"
import { type CostRow, type CostSum, type Day, lastDays, sumOf } from "./day-costs.ts"

export interface DayRows {
  readonly sum: CostSum
  readonly rows: ReadonlyArray<CostRow>
}

interface CostPage {
  readonly data: ReadonlyArray<CostRow>
  readonly next_cursor: string | null
}

const AT_ONCE = 7

export const readDays = async (
  server: Server,
  amount: number,
  signal: AbortSignal,
): Promise<ReadonlyArray<DayRows>> => {
  const days = lastDays(amount, serverNow())
  const found = new Map<string, DayRows>()
  const waiting = [...days]
  const worker = async () => {
    for (let day = waiting.shift(); day !== undefined; day = waiting.shift())
      found.set(day.name, await readDay(server, day, signal))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return days.flatMap(({ name }) => found.get(name) ?? [])
}

const readDay = async ({ transport }: Server, { name, from, to }: Day, signal: AbortSignal): Promise<DayRows> => {
  const rows: Array<CostRow> = []
  let cursor: string | null = null
  do {
    const query = { from, to, limit: 1000, cursor: cursor ?? undefined }
    const page: CostPage = await transport.json<CostPage>("GET", "/v1/costs", { query, signal })
    rows.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  return { sum: sumOf(name, rows), rows }
}
