// The dialogs of the screen: for the name of a new or renamed file, and for confirmations.
import { useSignal } from "@preact/signals"
import { messageOf } from "../app/server.ts"
import { Dialog } from "../kit/dialog.tsx"
import { nameProblem } from "./tree/tree-model.ts"

interface NameProps {
  readonly title: string
  readonly label: string
  readonly start: string
  readonly action: string
  /** If it rejects, the dialog stays open and shows the reason. */
  readonly onName: (name: string) => Promise<void>
  readonly onClose: () => void
}

export const NameQuestion = ({ title, label, start, action, onName, onClose }: NameProps) => {
  const name = useSignal(start)
  const error = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const submit = async () => {
    error.value = nameProblem(name.value)
    if (error.value !== null) return
    isBusy.value = true
    try {
      await onName(name.value.replace(/\/$/, ""))
      onClose()
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <label>
          {label}
          <input
            value={name.value}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        {error.value === null ? null : (
          <p class="error" role="alert">
            {error.value}
          </p>
        )}
        <p class="dialog-buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="primary" type="submit" disabled={isBusy.value}>
            {action}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

export const Confirm = ({ title, text, action, onConfirm, onClose }: ConfirmProps) => {
  const error = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const confirm = async () => {
    isBusy.value = true
    error.value = null
    try {
      await onConfirm()
      onClose()
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {error.value === null ? null : (
        <p class="error" role="alert">
          {error.value}
        </p>
      )}
      <p class="dialog-buttons">
        <button onClick={onClose}>Cancel</button>
        <button class="danger" disabled={isBusy.value} onClick={() => void confirm()}>
          {action}
        </button>
      </p>
    </Dialog>
  )
}
