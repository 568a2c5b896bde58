// Shows what a turn is waiting for while none of its messages change: the model's answer, or the retry of a failed request.
import { useComputed, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { serverNow } from "../../store/server-time.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { isQuiet } from "./is-quiet.ts"

/** Shorter pauses are not shown, so that the line does not flicker. */
const SHOWN_AFTER_MS = 1000

export const Activity = ({ store }: { readonly store: SessionStore }) => {
  const isWaiting = useComputed(() => store.state.value === "running" && isQuiet(store.conversation))
  return isWaiting.value ? <Waiting store={store} /> : null
}

const Waiting = ({ store }: { readonly store: SessionStore }) => {
  const since = useSignal(Date.now())
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const waited = now.value - since.value
  const retry = store.retry.value
  const left = retry === null ? 0 : Math.ceil((retry.next - serverNow()) / 1000)
  if (retry !== null && left > 0)
    return <Line text={`${retry.message}. The request is sent again`} time={`in ${left} s`} />
  return waited < SHOWN_AFTER_MS ? null : <Line text="Working…" time={`${Math.floor(waited / 1000)} s`} />
}

/** Screen readers announce the text once; the seconds are hidden from them. */
const Line = ({ text, time }: { readonly text: string; readonly time: string }) => (
  <p class="activity note">
    <span role="status">{text}</span> <span aria-hidden="true">{time}</span>
  </p>
)
