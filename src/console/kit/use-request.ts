// A request that a button sends: whether it is under way, and the sentence of its error.
// Invariant: while it is under way it is not sent again.
import { useState } from "preact/hooks"
import { messageOf } from "../app/server.ts"

export interface RequestState {
  readonly isBusy: boolean
  readonly error: string | null
  /** Sends it; what fails is in `error`. */
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
