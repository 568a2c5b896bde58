// The sentence of an error, announced when it appears, with a button that repeats what has failed.
// Invariant: a button that is removed while it has the focus leaves that to its dialog or to the main region, and the button of a
// repeated failure takes it back.
import { useLayoutEffect, useRef } from "preact/hooks"

interface ErrorTextProps {
  readonly error: string | null
  /** What could not be read, as the subject of a sentence, if the error does not name it. */
  readonly unread?: string
  readonly onRetry?: (() => unknown) | undefined
}

export const ErrorText = ({ error, unread, onRetry }: ErrorTextProps) =>
  error === null ? null : (
    <p class="error" role="alert">
      {unread === undefined ? null : `${unread} could not be read. `}
      {error} {onRetry === undefined ? null : <Retry onRetry={onRetry} />}
    </p>
  )

/** The region that has the focus of a removed button, until it loses that. */
let region: HTMLElement | null = null

const Retry = ({ onRetry }: { readonly onRetry: () => unknown }) => {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const { current } = button
    if (region !== null && region === document.activeElement) current?.focus({ preventScroll: true })
    return () => {
      if (current === null || document.activeElement !== current) return
      region = current.closest("dialog") ?? document.getElementById("main")
      region?.focus({ preventScroll: true })
      region?.addEventListener("blur", () => (region = null), { once: true })
    }
  }, [])
  return (
    <button ref={button} type="button" onClick={() => void onRetry()}>
      Try again
    </button>
  )
}
