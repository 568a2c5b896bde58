// The reason why the last turn ended if no answer shows it: its budget, steps or retries were exhausted.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { hashOf } from "../../app/router.ts"
import { messageOf } from "../../app/server.ts"
import { ErrorText } from "../../kit/error-text.tsx"
import type { SessionStore } from "../../store/session-store.ts"
import { type EarlyEnd, earlyEnd } from "./early-end.ts"

/** How many of the newest turns are read: cancelled prompts have no result, so the last turn with one may be older. */
const NEWEST = 10

export const TurnEnd = ({ store }: { readonly store: SessionStore }) => {
  const end = useSignal<EarlyEnd | null>(null)
  const error = useSignal<string | null>(null)
  const attempt = useSignal(0)
  const tries = attempt.value
  const turns = store.session.value?.turns ?? 0
  useEffect(() => {
    end.value = null
    error.value = null
    if (turns === 0) return undefined
    const stop = new AbortController()
    store.server.client
      .session(store.id)
      .turns({ limit: NEWEST, signal: stop.signal })
      .then(
        ({ data }) => (end.value = earlyEnd(data.find(({ result }) => result !== null)?.result ?? null)),
        (cause: unknown) => {
          if (!stop.signal.aborted) error.value = messageOf(cause)
        },
      )
    return () => stop.abort()
  }, [store, turns, tries])
  if (error.value !== null)
    return (
      <div class="turn-end">
        <ErrorText unread="The outcome of the last turn" error={error.value} onRetry={() => (attempt.value += 1)} />
      </div>
    )
  if (end.value === null || store.state.value !== "idle") return null
  const { text, isBudget } = end.value
  return (
    <p class="turn-end note warn" role="status">
      ■ {text} {isBudget ? <a href={hashOf({ page: "session", id: store.id, screen: "costs" })}>Costs</a> : null}
    </p>
  )
}
