// The dialogs of the screen: for the name of a new or renamed file, and for confirmations.
import { useState } from "preact/hooks"
import { Dialog, FormEnd } from "../kit/dialog.tsx"
import { useRequest } from "../kit/use-request.ts"
import { nameProblem } from "./tree/tree-model.ts"

interface NameProps {
  readonly title: string
  readonly label: string
  readonly start: string
  readonly action: string
  /** Shown instead of `action` while it is running. */
  readonly busy: string
  /** If it rejects, the dialog stays open and shows the reason. */
  readonly onName: (name: string) => Promise<void>
  readonly onClose: () => void
}

export const NameQuestion = ({ title, label, start, action, busy, onName, onClose }: NameProps) => {
  const [name, setName] = useState(start)
  const [problem, setProblem] = useState<string | null>(null)
  const request = useRequest()
  const submit = () => {
    const found = nameProblem(name)
    setProblem(found)
    if (found === null) request.run(() => onName(name.replace(/\/$/, "")), onClose)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <label>
          {label}
          <input
            value={name}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <FormEnd
          request={{ isBusy: request.isBusy, error: problem ?? request.error }}
          action={action}
          busy={busy}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly action: string
  /** Shown instead of `action` while it is running. */
  readonly busy: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** As `Confirm`, for an action that is a request: the dialog stays open until it has succeeded. */
export const ConfirmRequest = ({ title, text, action, busy, onConfirm, onClose }: ConfirmProps) => {
  const request = useRequest()
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <FormEnd
        request={request}
        action={action}
        busy={busy}
        onAction={() => request.run(onConfirm, onClose)}
        isDangerous
        onCancel={onClose}
      />
    </Dialog>
  )
}
