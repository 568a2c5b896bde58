// A call of a tool that the client executes: its input, and a form for the result that the model receives.
import type { AskProps } from "./answering.ts"
import { Fields } from "./input-view.tsx"
import { ResultForm } from "./result-form.tsx"

export const ClientToolAsk = ({ ask, answering }: AskProps) => (
  <>
    <Fields input={ask.input} />
    <ResultForm id={ask.request_id} answering={answering} />
  </>
)
