// A form for the result of a call: a text, which may be JSON, or a failure.
import type { Answering } from "./answering.ts"

interface ResultProps {
  readonly id: string
  readonly answering: Answering
}

export const ResultForm = ({ id, answering }: ResultProps) => {
  const content = answering.typed("content", () => "")
  const isError = answering.typed("is error", () => false)
  const submit = (event: Event) => {
    event.preventDefault()
    void answering.send({ content: content.value, ...(isError.value ? { is_error: true } : {}) })
  }
  return (
    <form onSubmit={submit}>
      <label for={`result-${id}`}>Result, as text or JSON</label>
      <textarea
        id={`result-${id}`}
        class="code"
        rows={3}
        value={content.value}
        onInput={(event) => (content.value = event.currentTarget.value)}
      />
      <div class="ask-actions">
        <label class="check">
          <input
            type="checkbox"
            checked={isError.value}
            onChange={(event) => (isError.value = event.currentTarget.checked)}
          />
          The call failed
        </label>
        <button class="primary" type="submit" disabled={answering.isBusy.value}>
          Send the result
        </button>
      </div>
    </form>
  )
}
