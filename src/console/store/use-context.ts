// Receives a session; returns how full the model's context window is, read again whenever that may have changed.
// Invariant: after an error the last known use is kept, and its error is returned with it.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { sessionPath } from "../../client/api/transport.ts"
import { messageOf } from "../app/server.ts"
import type { ContextUse } from "./context-shapes.ts"
import { contextVersion } from "./context-version.ts"
import type { SessionStore } from "./session-store.ts"

/** `use` is null until it is read; while `isNeeded` is false, nothing is read. */
export const useContextUse = (store: SessionStore, isNeeded = true) => {
  const use = useSignal<ContextUse | null>(null)
  const error = useSignal<string | null>(null)
  const attempt = useSignal(0)
  const version = contextVersion(store.session.value)
  const tries = attempt.value
  useEffect(() => {
    if (!isNeeded) return undefined
    const stop = new AbortController()
    error.value = null
    store.server.transport
      .json<ContextUse>("GET", sessionPath(store.id, "/context"), { signal: stop.signal })
      .then((found) => (use.value = found))
      .catch((cause: unknown) => {
        if (!stop.signal.aborted) error.value = messageOf(cause)
      })
    return () => stop.abort()
  }, [store, isNeeded, version, tries])
  return { use: use.value, error: error.value, retry: () => (attempt.value += 1) }
}
