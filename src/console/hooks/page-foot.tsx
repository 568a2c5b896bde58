// The footer of a paged list: its error with a retry button, the loading state, the text for an empty list, the next page.
import { keepFocus } from "../app/keep-focus.ts"
import { ErrorText } from "../kit/error-text.tsx"
import type { PagedList } from "./paged-list.ts"

interface PageFootProps {
  readonly list: Pick<PagedList<never>, "cursor" | "error" | "isLoading" | "more"> & {
    readonly rows: { readonly value: ReadonlyArray<unknown> }
  }
  readonly empty: string
  readonly older: string
}

export const PageFoot = ({ list, empty, older }: PageFootProps) => {
  const { value: cursor } = list.cursor
  const { value: error } = list.error
  const { value: isLoading } = list.isLoading
  return (
    <>
      <ErrorText unread="The list" error={error} onRetry={() => list.more()} />
      {isLoading && list.rows.value.length === 0 ? (
        <p class="loading" role="status">
          Loading…
        </p>
      ) : null}
      {cursor === null && list.rows.value.length === 0 ? <p class="empty">{empty}</p> : null}
      {typeof cursor === "string" && error === null ? (
        <button class="more" disabled={isLoading} onClick={() => void list.more().finally(keepFocus())}>
          {isLoading ? "Loading…" : older}
        </button>
      ) : null}
    </>
  )
}
