// A modal dialog: the browser keeps the focus in it, Escape closes it, and the focus returns to the previous element.
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { DelayNotice } from "../network/delay-notice.tsx"
import { ErrorText } from "./error-text.tsx"
import type { RequestState } from "./use-request.ts"

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
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
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

interface FormEndProps {
  readonly request: Pick<RequestState, "isBusy" | "error">
  /** The text of the button that sends the form, and its text while the request runs. */
  readonly action: string
  readonly busy: string
  /** Without it, the button submits the form. */
  readonly onAction?: () => void
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  /** The text of the button that closes the dialog. */
  readonly cancel?: string
  readonly onCancel: () => void
}

/** The end of a dialog: the error of its request, and the buttons that cancel and send it. */
export const FormEnd = ({ request, action, busy, onAction, isDangerous, isDisabled, ...props }: FormEndProps) => (
  <>
    <ErrorText error={request.error} />
    <div class="dialog-buttons">
      <button type="button" onClick={props.onCancel}>
        {props.cancel ?? "Cancel"}
      </button>
      <button
        class={isDangerous === true ? "danger" : "primary"}
        type={onAction === undefined ? "submit" : "button"}
        disabled={request.isBusy || isDisabled === true}
        onClick={onAction}
      >
        {request.isBusy ? busy : action}
      </button>
    </div>
  </>
)
