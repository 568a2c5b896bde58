// Why the last turn ended where no answer shows it: its budget, its steps or its tries were used up.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { hashOf } from "../../app/router.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { type EarlyEnd, earlyEnd } from "./early-end.ts"

/** Prompts that were taken back have no result: the last turn is behind them. */
const NEWEST = 10

export const TurnEnd = ({ store }: { readonly store: SessionStore }) => {
  const end = useSignal<EarlyEnd | null>(null)
  const turns = store.session.value?.turns ?? 0
  useEffect(() => {
    end.value = null
    if (turns === 0) return undefined
    const stop = new AbortController()
    store.server.client
      .session(store.id)
      .turns({ limit: NEWEST, signal: stop.signal })
      .then(
        ({ data }) => (end.value = earlyEnd(data.find(({ result }) => result !== null)?.result ?? null)),
        () => {
          // What the conversation shows is complete without it.
        },
      )
    return () => stop.abort()
  }, [store, turns])
  if (end.value === null || store.state.value !== "idle") return null
  const { text, isBudget } = end.value
  return (
    <p class="turn-end note warn" role="status">
      ■ {text} {isBudget ? <a href={hashOf({ page: "session", id: store.id, screen: "costs" })}>Costs</a> : null}
    </p>
  )
}
