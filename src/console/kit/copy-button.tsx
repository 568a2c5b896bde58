// A button that copies a text and shows whether that succeeded.
import { copyText } from "./text/copy-text.ts"
import { useSignal } from "@preact/signals"

const SHOWN_MS = 2000
const TEXT = { ready: "Copy", copied: "Copied", failed: "Not copied" }

interface CopyButtonProps {
  /** The text to copy; a function is called at the click. */
  readonly text: string | (() => string)
  /** The accessible name; it starts with "Copy", like the visible text. */
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
