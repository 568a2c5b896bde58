// A button that copies a text and shows whether it did.
import { copyText } from "./text/copy-text.ts"
import { useSignal } from "@preact/signals"

const SHOWN_MS = 2000
const TEXT = { ready: "Copy", copied: "Copied", failed: "Not copied" }

interface CopyButtonProps {
  /** What is copied; a function is called when it is. */
  readonly text: string | (() => string)
  /** Begins with "Copy", as the button does. */
  readonly label: string
}

export const CopyButton = ({ text, label }: CopyButtonProps) => {
  const state = useSignal<keyof typeof TEXT>("ready")
  const copy = async () => {
    try {
      await copyText(typeof text === "string" ? text : text())
      state.value = "copied"
    } catch {
      state.value = "failed"
    }
    setTimeout(() => (state.value = "ready"), SHOWN_MS)
  }
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`${label}${state.value === "ready" ? "" : `: ${TEXT[state.value]}`}`}
      onClick={() => void copy()}
    >
      {TEXT[state.value]}
    </button>
  )
}
