// A question in a dialog: the browser keeps the focus in it and returns it to where it came from.
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

interface ModalProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export const Modal = ({ title, onClose, children }: ModalProps) => {
  const element = useRef<HTMLDialogElement>(null)
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
      class="modal"
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}
