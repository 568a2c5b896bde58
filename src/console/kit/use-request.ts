// A hook for a request that a button sends: whether it is running, and its error message.
// Invariant: while a request is running, no other one is started.
import { useState } from "preact/hooks"
import { messageOf } from "../app/server.ts"

export interface RequestState {
  readonly isBusy: boolean
  readonly error: string | null
  /** Runs the request; a failure is reported in `error`. */
  readonly run: (work: () => Promise<void>) => void
}

export const useRequest = (): RequestState => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const run = (work: () => Promise<void>) => {
    if (isBusy) return
    setBusy(true)
    setError(null)
    work()
      .catch((cause: unknown) => setError(messageOf(cause)))
      .finally(() => setBusy(false))
  }
  return { isBusy, error, run }
}
