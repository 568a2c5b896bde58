// The open asks: permissions, questions, plans and calls of the client's own tools.
// Invariant: a new ask is announced but never takes the focus; Alt+A focuses it. A note remains for each of the last asks
// that another client answered.
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { Ask } from "../../client/api/session-shapes.ts"
import type { SessionStore } from "../store/session-store.ts"
import { AskCard } from "./ask-card.tsx"
import { settledElsewhere, summaryOf, titleOf } from "./ask-model.ts"

/** Of the asks that were settled elsewhere, the last ones have a note: an app may answer hundreds while this page is open. */
const MOST_NOTES = 3

const announcement = (ask: Ask): string => {
  const summary = summaryOf(ask)
  return `${titleOf(ask)} ${summary === null ? "" : `${summary}. `}Press Alt+A to go to it.`
}

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
  const notes = useSignal<ReadonlyArray<{ readonly id: string; readonly text: string }>>([])

  useEffect(() => {
    const known = new Set(before.current.map(({ request_id }) => request_id))
    const fresh = asks.filter(({ request_id }) => !known.has(request_id))
    const gone = settledElsewhere(before.current, asks, store.settledHere)
    before.current = asks
    if (fresh[0] !== undefined) announced.value = announcement(fresh[0])
    if (gone.length > 0) {
      const added = gone.map((ask) => ({ id: ask.request_id, text: `“${titleOf(ask)}” was settled elsewhere.` }))
      notes.value = [...notes.value, ...added].slice(-MOST_NOTES)
      announced.value = added.map(({ text }) => text).join(" ")
    }
    // The focused button was removed with its ask.
    if (document.activeElement === document.body && known.size > 0 && !focusFirst(section.current)) {
      if ([...known].some((id) => store.settledHere.has(id))) document.getElementById("prompt")?.focus()
    }
  }, [asks])

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
      {asks.length === 0 && notes.value.length === 0 ? null : (
        <section ref={section} class="asks" aria-label="Waiting for you">
          {notes.value.map(({ id, text }) => (
            <p key={id} class="ask-note">
              {text}{" "}
              <button onClick={() => (notes.value = notes.value.filter((note) => note.id !== id))}>Dismiss</button>
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
