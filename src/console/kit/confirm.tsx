// A confirmation dialog: a question, with buttons to confirm or cancel the action.
import type { ComponentChildren } from "preact"
import { Dialog } from "./dialog.tsx"

interface ConfirmProps {
  readonly title: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onCancel: () => void
  readonly children: ComponentChildren
}

export const Confirm = ({ title, action, onConfirm, onCancel, children }: ConfirmProps) => (
  <Dialog title={title} onClose={onCancel}>
    <div>{children}</div>
    <div class="dialog-buttons">
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
      <button type="button" class="danger" onClick={onConfirm}>
        {action}
      </button>
    </div>
  </Dialog>
)
