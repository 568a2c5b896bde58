// Copies a text to the clipboard and says whether it could.
import { useState } from "preact/hooks"

interface CopyButtonProps {
  readonly label: string
  readonly text: () => string
}

export const CopyButton = ({ label, text }: CopyButtonProps) => {
  const [outcome, setOutcome] = useState<string | null>(null)
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setOutcome("Copied"),
      () => setOutcome("The browser refused to copy"),
    )
  }
  return (
    <>
      <button onClick={copy}>{label}</button>
      <span class="hint" role="status">
        {outcome}
      </span>
    </>
  )
}
