// The reason why the turns of a session could not be read, for the screens that list or mark them, with a retry.
import type { Past } from "./past.ts"

export const MarksError = ({ past }: { readonly past: Past }) =>
  past.marksError.value === null ? null : (
    <p class="error" role="alert">
      The turns could not be read. {past.marksError.value}{" "}
      <button onClick={() => void past.readMarks()}>Try again</button>
    </p>
  )
