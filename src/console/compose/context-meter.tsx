// A meter next to the prompt: how full the model's context window is after the last request.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { compact } from "../kit/format.ts"
import { contextVersion } from "../store/context-version.ts"
import type { SessionStore } from "../store/session-store.ts"

interface Usage {
  readonly total_tokens: number
  readonly raw_max_tokens: number
  readonly percentage: number
}

export const ContextMeter = ({ store }: { readonly store: SessionStore }) => {
  const usage = useSignal<Usage | null>(null)
  const hasTurns = (store.session.value?.turns ?? 0) > 0
  const version = contextVersion(store.session.value)
  useEffect(() => {
    if (!hasTurns) return
    const stop = new AbortController()
    store.server.transport
      .json<Usage>("GET", `/v1/sessions/${store.id}/context`, { signal: stop.signal })
      .then((read) => (usage.value = read))
      // After an error the meter is not shown: the prompt does not depend on it.
      .catch(() => {})
    return () => stop.abort()
  }, [store, version])
  const { value } = usage
  if (value === null) return null
  const text = `${compact(value.total_tokens)} of ${compact(value.raw_max_tokens)} tokens`
  return (
    <span class="context-meter" title={text}>
      <meter min={0} max={100} high={80} value={value.percentage} aria-label={`Context: ${text}`} />
      {Math.round(value.percentage)}%
    </span>
  )
}
