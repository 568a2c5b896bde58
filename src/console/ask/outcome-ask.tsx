// A call during which the server stopped, so that its outcome is unknown. A person enters its result, runs it again, or skips it.
import type { AskProps } from "./answering.ts"
import { InputView } from "./input-view.tsx"
import { ResultForm } from "./result-form.tsx"

export const OutcomeAsk = ({ ask, answering }: AskProps) => {
  const isBusy = answering.isBusy.value
  return (
    <>
      <p class="ask-reason">The server stopped while this call ran, so it may have taken effect or not.</p>
      <InputView tool={ask.tool_name} input={ask.input} />
      <div class="ask-actions">
        {/* What took effect would take effect twice. */}
        <button class="danger" disabled={isBusy} onClick={() => void answering.send({ behavior: "allow" })}>
          Run it again
        </button>
        <button
          disabled={isBusy}
          onClick={() =>
            void answering.send({ behavior: "deny", message: "It is not known whether the call took effect." })
          }
        >
          Do not run it again
        </button>
      </div>
      <ResultForm id={ask.request_id} answering={answering} />
    </>
  )
}
