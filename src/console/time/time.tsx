// The screen "Time" of a session: a scrubber over its log, and the session as it was at the selected place.
// The address contains the place, so it can be bookmarked, shared, and linked from the raw events.
import { useSignalEffect } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { type Place, place as address, replacePlace } from "../app/router.ts"
import { count } from "../kit/format.ts"
import type { SessionStore } from "../store/session-store.ts"
import { MarksError } from "./past/marks-error.tsx"
import { Past } from "./past/past.ts"
import { PastConversation } from "./past/past-conversation.tsx"
import { PastFacts } from "./past/past-facts.tsx"
import { PlaceActions } from "./past/place-actions.tsx"
import { Player } from "./past/player.ts"
import { Scrubber } from "./past/scrubber.tsx"

/** The place in a session's log that an address has: null for now, undefined for an address of another screen. */
const placeIn = (value: Place, id: string): number | null | undefined =>
  value.page === "session" && value.id === id && value.screen === "time" ? (value.at ?? null) : undefined

export const Time = ({ store }: { readonly store: SessionStore }) => {
  const { past, player } = useMemo(() => {
    const made = new Past(store.server, store.id)
    const playing = new Player(made, () => store.seq.value)
    // Before anything is rendered, so that nothing of "now" is read and shown first.
    playing.go(placeIn(address.peek(), store.id) ?? null)
    return { past: made, player: playing }
  }, [store])
  useEffect(() => () => player.close(), [player])
  // Turns that begin while the screen is open get marks, too, also if they end before the page has rendered them.
  const isBusy = store.state.value !== "idle"
  const turns = store.session.value?.turns
  useEffect(() => void past.readMarks(), [past, isBusy, turns])
  // Follows the address, for example when a raw event is opened here.
  useSignalEffect(() => {
    const at = placeIn(address.value, store.id)
    if (at !== undefined && at !== player.place.peek()) player.go(at)
  })
  useSignalEffect(() => {
    const at = player.place.value
    const current = placeIn(address.peek(), store.id)
    if (current === undefined || current === at) return
    replacePlace({ page: "session", id: store.id, screen: "time", ...(at === null ? {} : { at }) })
  })
  const { value: place } = player.place
  const { value: last } = store.seq
  const isMissing = place !== null && past.isMissing.value
  const hasArrived = isMissing && place <= last
  useEffect(() => {
    if (hasArrived) void past.retry()
  }, [past, hasArrived])
  return (
    <section class="time" aria-label="Time">
      <Scrubber
        place={place}
        last={last}
        isMissing={isMissing}
        marks={past.marks}
        isPlaying={player.isPlaying.value}
        onPlace={(to) => player.go(to)}
        onStep={(step) => player.step(step)}
        onPlay={() => (player.isPlaying.value ? player.pause() : player.play())}
      />
      <MarksError past={past} />
      <PlaceActions store={store} past={past} place={place} />
      {isMissing ? (
        <p class="empty" role="alert">
          There is no event {count(place)}: the log of this session ends at event {count(last)}.
        </p>
      ) : (
        <div class="time-past">
          <PastConversation store={store} past={past} isNow={place === null} />
          <PastFacts store={store} past={past} place={place} />
        </div>
      )}
    </section>
  )
}
