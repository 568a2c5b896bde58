// The open asks: permissions, questions, plans and calls of the client's own tools.
// Invariant: a new ask is announced but never takes the focus; Alt+A focuses it. A note for each of the last asks that another
// client answered remains until the next turn begins.
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { Ask } from "../../client/api/session-shapes.ts"
import { isFocusFree } from "../app/keep-focus.ts"
import type { SessionStore } from "../store/session-store.ts"
import { AskCard } from "./ask-card.tsx"
import { settledElsewhere, summaryOf, titleOf } from "./ask-model.ts"

/** Of the asks that were settled elsewhere, the last ones have a note: an app may answer hundreds while this page is open. */
const MAX_NOTES = 3
/** More asks than can disappear while the request of an answer runs, after which it is known where they were settled. */
const MAX_REMOVED = 50

const announcement = (ask: Ask): string => {
  const summary = summaryOf(ask)
  return `${titleOf(ask)} ${summary === null ? "" : `${summary}. `}Press Alt+A to go to it.`
}

const NONE: ReadonlySet<string> = new Set()

const noteOf = (ask: Ask): string => `“${titleOf(ask)}” was settled elsewhere.`

const focusFirst = (section: HTMLElement | null): boolean => {
  const region = section?.querySelector<HTMLElement>("[data-ask]")
  region?.focus()
  return region != null
}

export const Asks = ({ store }: { readonly store: SessionStore }) => {
  const { value: asks } = store.asks
  const section = useRef<HTMLElement>(null)
  const before = useRef<ReadonlyArray<Ask>>([])
  const announced = useSignal("")
  const removed = useSignal<ReadonlyArray<Ask>>([])
  const { value: settledHere } = store.settledHere
  const noted = settledElsewhere(removed.value, asks, settledHere).slice(-MAX_NOTES)
  const { value: newestTurn } = store.conversation.newestTurn
  const notedBefore = useRef<ReadonlyArray<Ask>>([])

  useEffect(() => {
    const known = new Set(before.current.map(({ request_id }) => request_id))
    const fresh = asks.filter(({ request_id }) => !known.has(request_id))
    const gone = settledElsewhere(before.current, asks, NONE)
    before.current = asks
    if (fresh[0] !== undefined) announced.value = announcement(fresh[0])
    if (gone.length > 0) removed.value = [...removed.value, ...gone].slice(-MAX_REMOVED)
    // The focused button was removed with its ask. One whose request runs gets the focus back when the request ends.
    if (gone.length > 0 && isFocusFree() && !focusFirst(section.current)) {
      if ([...known].some((id) => settledHere.has(id))) document.getElementById("prompt")?.focus()
    }
  }, [asks])

  useEffect(() => {
    if (removed.peek().length > 0) removed.value = []
  }, [newestTurn])

  useEffect(() => {
    const fresh = noted.filter((ask) => !notedBefore.current.includes(ask))
    notedBefore.current = noted
    if (fresh.length > 0) announced.value = fresh.map(noteOf).join(" ")
  }, [removed.value, settledHere])

  // A layout effect, so that the key works as soon as an ask is visible.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyA") return
      if (focusFirst(section.current)) event.preventDefault()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])

  return (
    <>
      <p class="visually-hidden" role="status">
        {announced.value}
      </p>
      {asks.length === 0 && noted.length === 0 ? null : (
        <section ref={section} class="asks" aria-label="Waiting for you">
          {noted.map((ask) => (
            <p key={ask.request_id} class="ask-note">
              {noteOf(ask)}{" "}
              <button onClick={() => (removed.value = noted.filter((other) => other !== ask))}>Dismiss</button>
            </p>
          ))}
          {asks.map((ask) => (
            <AskCard key={ask.request_id} store={store} ask={ask} />
          ))}
        </section>
      )}
    </>
  )
}
