// The reason why the turns of a session could not be read, for the screens that list or mark them, with a retry.
import { ErrorText } from "../../kit/error-text.tsx"
import type { Past } from "./past.ts"

export const MarksError = ({ past }: { readonly past: Past }) => (
  <ErrorText unread="The turns" error={past.marksError.value} onRetry={() => past.readMarks()} />
)
