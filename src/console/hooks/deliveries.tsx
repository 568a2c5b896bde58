// The deliveries of a webhook in pages, filtered by state; refreshed while an attempt is pending.
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Page } from "../../client/api/session-shapes.ts"
import type { DeliveryState, WebhookDelivery } from "../../schemas/api/webhooks.ts"
import { serverNow } from "../store/server-time.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { DeliveryRow } from "./delivery-row.tsx"
import { isUnderWay } from "./delivery-facts.ts"
import { PageFoot } from "./page-foot.tsx"
import { PagedList } from "./paged-list.ts"

const PAGE = 25
/** Most attempts end quickly: the list is refreshed after this time, then at growing intervals up to `REFRESH_MS`. */
const FIRST_REFRESH_MS = 300
const REFRESH_MS = 2000
const STATES: ReadonlyArray<readonly [DeliveryState, string]> = [
  ["pending", "Pending"],
  ["delivered", "Delivered"],
  ["failed", "Failed"],
]

interface DeliveriesProps {
  /** The API path of the webhook. */
  readonly path: string
  /** Each change of this number refreshes the list. */
  readonly tests: number
  /** Called with the number of attempts of the listed deliveries, whenever it changes. */
  readonly onAttempts: (attempts: number) => void
}

export const Deliveries = ({ path, tests, onAttempts }: DeliveriesProps) => {
  const list = useMemo(() => new PagedList<WebhookDelivery>(messageOf), [])
  const [state, setState] = useState<DeliveryState | undefined>(undefined)
  useEffect(() => {
    void list.open((cursor) => {
      const query = { limit: PAGE, state, cursor }
      return signedIn().transport.json<Page<WebhookDelivery>>("GET", `${path}/deliveries`, { query })
    })
    return () => list.close()
  }, [list, path, state, tests])
  const { value: rows } = list.rows
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0)
  useEffect(() => onAttempts(attempts), [attempts])
  const isWaiting = list.error.value === null && rows.some((row) => isUnderWay(row, serverNow()))
  useEffect(() => {
    if (!isWaiting) return undefined
    let pause = FIRST_REFRESH_MS
    const read = () => {
      if (document.visibilityState === "visible") void list.refresh()
      pause = Math.min(2 * pause, REFRESH_MS)
      timer = setTimeout(read, pause)
    }
    let timer = setTimeout(read, pause)
    return () => clearTimeout(timer)
  }, [list, isWaiting])
  return (
    <section class="deliveries" aria-label="Deliveries">
      <div class="event-filters">
        <label>
          State
          <select
            value={state ?? ""}
            onChange={({ currentTarget }) => setState(STATES.find(([name]) => name === currentTarget.value)?.[0])}
          >
            <option value="">All</option>
            {STATES.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <button disabled={list.isLoading.value} onClick={() => void list.refresh()}>
          Refresh
        </button>
      </div>
      <ul aria-live="polite">
        {rows.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            path={`${path}/deliveries/${encodeURIComponent(delivery.id)}`}
            onChange={(changed) => list.replace(changed)}
          />
        ))}
      </ul>
      <PageFoot list={list} empty="No delivery. Those that ended are kept for three days." older="Older deliveries" />
    </section>
  )
}
