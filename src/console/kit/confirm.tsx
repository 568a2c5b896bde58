// A question of the page itself, in a dialog that keeps the focus and gives it back.
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

interface ConfirmProps {
  readonly title: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onCancel: () => void
  readonly children: ComponentChildren
}

export const Confirm = ({ title, action, onConfirm, onCancel, children }: ConfirmProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class="confirm"
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onCancel()
      }}
    >
      <h2>{title}</h2>
      <div>{children}</div>
      <div class="ask-actions">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={onConfirm}>
          {action}
        </button>
      </div>
    </dialog>
  )
}
