// The tab "Hook events": the events with their outcomes, filtered by session and by name.
import { useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type { Page } from "../../client/api/session-shapes.ts"
import type { HookEventInfo } from "../../schemas/api/hooks.ts"
import { replacePlace } from "../app/router.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { sessionIdOf } from "../app/session-id.ts"
import { HOOK_EVENT_NAMES, sessionFault } from "./hook-facts.ts"
import { HookEventRow } from "./hook-event-row.tsx"
import { PageFoot } from "./page-foot.tsx"
import { PagedList } from "./paged-list.ts"

const PAGE = 50

export const HookEvents = ({ session }: { readonly session: string | undefined }) => {
  const list = useMemo(() => new PagedList<HookEventInfo>(messageOf), [])
  const name = useSignal("")
  const typed = useSignal(session ?? "")
  const fault = sessionFault(typed.value)
  // A link may also change the address.
  useEffect(() => {
    if (sessionFault(typed.value) === null || session !== undefined) typed.value = session ?? ""
  }, [session])
  useEffect(() => {
    const filter = { session, name: name.value === "" ? undefined : name.value }
    void list.open((cursor) => {
      const query = { limit: PAGE, cursor, ...filter }
      return signedIn().transport.json<Page<HookEventInfo>>("GET", "/v1/hook-events", { query })
    })
    return () => list.close()
  }, [list, session, name.value])
  const type = (text: string) => {
    typed.value = text
    if (sessionFault(text) !== null) return
    const id = sessionIdOf(text)
    replacePlace({ page: "hooks", tab: "events", ...(id === null ? {} : { session: id }) })
  }
  return (
    <section class="hook-list" aria-label="Hook events">
      <div class="event-filters" role="search">
        <label>
          Session
          <input
            type="search"
            class="hook-session"
            spellcheck={false}
            autocomplete="off"
            placeholder="All; paste an id"
            value={typed.value}
            aria-invalid={fault !== null}
            aria-describedby="hook-session-fault"
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </label>
        <label>
          Event
          <select value={name.value} onChange={({ currentTarget }) => (name.value = currentTarget.value)}>
            <option value="">All</option>
            {HOOK_EVENT_NAMES.map((known) => (
              <option key={known} value={known}>
                {known}
              </option>
            ))}
          </select>
        </label>
        <button disabled={list.isLoading.value} onClick={() => void list.refresh()}>
          Refresh
        </button>
        <p id="hook-session-fault" class="error" role="alert">
          {fault}
        </p>
      </div>
      <ol class="event-list" aria-busy={list.isLoading.value}>
        {list.rows.value.map((event) => (
          <HookEventRow key={event.id} event={event} />
        ))}
      </ol>
      <PageFoot list={list} empty="No hook event. They are listed here whenever a session runs." older="Older events" />
    </section>
  )
}
