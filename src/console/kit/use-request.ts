// A hook for a request that a button sends: whether it is running, and its error message.
// Invariant: while a request is running, no other one is started. What follows a request happens only while its component is
// shown: a dialog that was closed in the meantime neither closes the next one nor leaves the page.
import { useEffect, useRef, useState } from "preact/hooks"
import { keepFocus } from "../app/keep-focus.ts"
import { messageOf } from "../app/server.ts"

export interface RequestState {
  readonly isBusy: boolean
  readonly error: string | null
  /** Runs the request; a failure is reported in `error`. Calls `then` with the result if the component is still shown. */
  readonly run: <A>(work: () => Promise<A>, then?: (result: A) => void) => void
}

export const useRequest = (): RequestState => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const isShown = useRef(true)
  useEffect(() => () => void (isShown.current = false), [])
  const run: RequestState["run"] = (work, then) => {
    if (isBusy) return
    const restoreFocus = keepFocus()
    setBusy(true)
    setError(null)
    work()
      .then((result) => {
        if (isShown.current) then?.(result)
      })
      .catch((cause: unknown) => setError(messageOf(cause)))
      .finally(() => {
        setBusy(false)
        restoreFocus()
      })
  }
  return { isBusy, error, run }
}
