// The suggestions for the word at the caret of a prompt's field, and the keys for selecting one.
// Invariant: suggestions for a word that is no longer at the caret are never shown.
import { type Signal, useSignal } from "@preact/signals"
import type { RefObject } from "preact"
import { useMemo } from "preact/hooks"
import type { SessionStore } from "../store/session-store.ts"
import { complete, matching, type Suggestion, type Token, tokenAt } from "./completions.ts"
import { SuggestionSources } from "./suggestion-sources.ts"

export interface Completion {
  readonly shown: Signal<ReadonlyArray<Suggestion>>
  readonly active: Signal<number>
  /** Call it when the caret or the text has changed. */
  readonly look: () => void
  readonly choose: (index: number) => void
  readonly close: () => void
  /** Handles a key; returns true when the suggestions have used it. */
  readonly onKey: (event: KeyboardEvent) => boolean
}

export const useCompletion = (
  store: SessionStore,
  field: RefObject<HTMLTextAreaElement | null>,
  write: (text: string) => void,
): Completion => {
  const sources = useMemo(() => new SuggestionSources(store), [store])
  const shown = useSignal<ReadonlyArray<Suggestion>>([])
  const active = useSignal(0)
  const token = useSignal<Token | null>(null)

  const close = () => {
    token.value = null
    shown.value = []
  }
  const look = () => {
    const { current } = field
    const next = current === null ? null : tokenAt(current.value, current.selectionStart)
    const isContinued = next !== null && next.kind === token.value?.kind
    // What still matches, until the list for the word is read.
    shown.value = isContinued ? matching(shown.value, next.query) : []
    active.value = 0
    token.value = next
    if (next === null) return
    void sources.for(next).then((items) => {
      if (token.value !== next) return
      shown.value = matching(items, next.query)
      active.value = 0
    })
  }
  const choose = (index: number) => {
    const { current } = field
    const suggestion = shown.value[index]
    if (current === null || suggestion === undefined || token.value === null) return
    const { text, caret } = complete(current.value, token.value, suggestion)
    write(text)
    // Sets the text directly, because the field renders later and the caret must be placed after the inserted text now.
    current.value = text
    current.focus()
    current.setSelectionRange(caret, caret)
    look()
  }
  const onKey = (event: KeyboardEvent): boolean => {
    const { length } = shown.value
    if (length === 0) return false
    switch (event.key) {
      case "ArrowDown":
        active.value = (active.value + 1) % length
        return true
      case "ArrowUp":
        active.value = (active.value + length - 1) % length
        return true
      case "Enter":
      case "Tab": {
        if (event.shiftKey) return false
        const chosen = shown.value[active.value]?.insert
        // Enter sends a command that is already typed completely.
        if (event.key === "Enter" && chosen?.slice(1) === token.value?.query) return false
        choose(active.value)
        return true
      }
      case "Escape":
        close()
        return true
      default:
        return false
    }
  }
  return { shown, active, look, choose, close, onKey }
}
