// A modal dialog: the browser keeps the focus in it, Escape closes it, and the focus returns to the previous element.
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { DelayNotice } from "../network/delay-notice.tsx"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class="dialog"
      tabIndex={-1}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
      <DelayNotice />
    </dialog>
  )
}
