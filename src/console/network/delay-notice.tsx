// Shows that the page waits for the server, with a button that stops waiting: what has sent the requests shows their errors then.
import { keepFocus } from "../app/keep-focus.ts"
import { askedPause, isSilent, stopWaiting } from "./pending-requests.ts"

export const DelayNotice = () => {
  if (isSilent.value)
    return (
      <p class="delay-notice" role="status">
        The server has not responded for ten seconds or more.{" "}
        <button type="button" onClick={stop}>
          Stop waiting
        </button>
      </p>
    )
  if (askedPause.value === null) return null
  return (
    <p class="delay-notice" role="status">
      The server asks to wait for {askedPause.value} seconds. Then the page tries again.
    </p>
  )
}

const stop = (event: Event) => {
  const { currentTarget } = event
  const dialog = currentTarget instanceof Element ? currentTarget.closest("dialog") : null
  const restoreFocus = keepFocus(() => dialog)
  stopWaiting()
  restoreFocus()
}
