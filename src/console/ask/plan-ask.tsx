// A plan: it can be accepted with a permission mode for its execution, or rejected with feedback.
import { Markdown } from "../chat/markdown/markdown.tsx"
import { visibleText } from "../kit/text/visible-text.ts"
import type { AskProps } from "./answering.ts"
import { textOf } from "./ask-model.ts"

const MODES: ReadonlyArray<readonly [string, string]> = [
  ["", "the mode before planning"],
  ["default", "ask before changes"],
  ["acceptEdits", "edit files without asking"],
]

export const PlanAsk = ({ ask, answering }: AskProps) => {
  const mode = answering.typed("mode", () => "")
  const feedback = answering.typed("feedback", () => "")
  const isBusy = answering.isBusy.value
  const accept = () =>
    void answering.send({ behavior: "allow", ...(mode.value === "" ? {} : { permissionMode: mode.value }) })
  const refuse = () => {
    const message = feedback.value.trim()
    void answering.send({ behavior: "deny", ...(message === "" ? {} : { message }) })
  }
  return (
    <>
      <div class="ask-plan" tabIndex={0} role="group" aria-label="The plan">
        <Markdown text={visibleText(textOf(ask.input["plan"]) ?? "The plan is empty.")} isComplete />
      </div>
      <div class="ask-actions">
        <label>
          Go on with{" "}
          <select value={mode.value} onChange={(event) => (mode.value = event.currentTarget.value)}>
            {MODES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <button class="primary" disabled={isBusy} onClick={accept}>
          Accept the plan
        </button>
      </div>
      <label for={`feedback-${ask.request_id}`}>What is missing or wrong</label>
      <textarea
        id={`feedback-${ask.request_id}`}
        rows={2}
        value={feedback.value}
        onInput={(event) => (feedback.value = event.currentTarget.value)}
      />
      <div class="ask-actions">
        <button disabled={isBusy} onClick={refuse}>
          Keep planning
        </button>
      </div>
    </>
  )
}
