// The tab "Dead events": hook events whose delivery the queue has given up, each with its reason and a button to redeliver it.
import { newUuid } from "../../client/api/new-uuid.ts"
import { useEffect, useMemo } from "preact/hooks"
import type { Page } from "../../client/api/session-shapes.ts"
import type { DeadHookEvent } from "../../schemas/api/hooks.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { relativeTime } from "../kit/format.ts"
import { useRequest } from "../kit/use-request.ts"
import { OnceKey } from "../store/once-key.ts"
import { HookEventRow } from "./hook-event-row.tsx"
import { PageFoot } from "./page-foot.tsx"
import { PagedList } from "./paged-list.ts"

const PAGE = 50
const PATH = "/v1/hook-events/dead"

export const DeadEvents = () => {
  const list = useMemo(() => new PagedList<DeadHookEvent>(messageOf), [])
  useEffect(() => {
    void list.open((cursor) =>
      signedIn().transport.json<Page<DeadHookEvent>>("GET", PATH, { query: { limit: PAGE, cursor } }),
    )
    return () => list.close()
  }, [list])
  return (
    <section class="hook-list" aria-label="Dead events">
      <p class="hint">
        Hook events that could not be stored after several tries. Delivered again, an event is in the list of hook
        events when it is stored.
      </p>
      <ol class="event-list" aria-busy={list.isLoading.value}>
        {list.rows.value.map((event) => (
          <DeadEvent key={event.id} event={event} onChange={(changed) => list.replace(changed)} />
        ))}
      </ol>
      <PageFoot list={list} empty="No dead event." older="Older dead events" />
    </section>
  )
}

interface DeadEventProps {
  readonly event: DeadHookEvent
  readonly onChange: (event: DeadHookEvent) => void
}

const DeadEvent = ({ event, onChange }: DeadEventProps) => {
  const { id, died_at, reason, redelivered_at } = event
  const once = useMemo(() => new OnceKey(newUuid), [])
  const request = useRequest()
  const redeliver = () =>
    request.run(async () => {
      const path = `${PATH}/${encodeURIComponent(id)}/redeliver`
      const headers = once.headersFor(path)
      onChange(await signedIn().transport.json<DeadHookEvent>("POST", path, { headers }))
      once.forget()
    })
  return (
    <HookEventRow event={event}>
      <div class="hook-dead">
        <p class="facts">
          <span>{reason}</span>
          <time dateTime={died_at}>given up {relativeTime(died_at)}</time>
          {redelivered_at === null ? null : (
            <time dateTime={redelivered_at}>delivered again {relativeTime(redelivered_at)}</time>
          )}
        </p>
        <button disabled={request.isBusy} onClick={redeliver}>
          {request.isBusy ? "Sending…" : "Redeliver"}
        </button>
        <ErrorText error={request.error} />
      </div>
    </HookEventRow>
  )
}
