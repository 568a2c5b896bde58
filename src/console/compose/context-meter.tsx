// A meter next to the prompt: how full the model's context window is after the last request.
import { ErrorText } from "../kit/error-text.tsx"
import { compact } from "../kit/format.ts"
import type { ContextUse } from "../store/context-shapes.ts"
import type { SessionStore } from "../store/session-store.ts"
import { useContextUse } from "../store/use-context.ts"

export const ContextMeter = ({ store }: { readonly store: SessionStore }) => {
  const { use, error, retry } = useContextUse(store, (store.session.value?.turns ?? 0) > 0)
  return (
    <>
      {use === null ? null : <Meter use={use} />}
      <ErrorText unread="The context" error={error} onRetry={retry} />
    </>
  )
}

const Meter = ({ use }: { readonly use: ContextUse }) => {
  const text = `${compact(use.totalTokens)} of ${compact(use.rawMaxTokens)} tokens`
  return (
    <span class="context-meter" title={text}>
      <meter min={0} max={100} high={80} value={use.percentage} aria-label={`Context: ${text}`} />
      {Math.round(use.percentage)}%
    </span>
  )
}
