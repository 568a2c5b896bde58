// The files that are being uploaded: their progress, and failed ones with their reasons.
import { keepFocus } from "../../app/keep-focus.ts"
import { bytes, counted } from "../../kit/format.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import type { Uploads } from "./upload-queue.ts"
import { summaryOf } from "./uploads.ts"

export const UploadList = ({ uploads }: { readonly uploads: Uploads }) => {
  const items = uploads.items.value
  if (items.length === 0) return null
  const { files, done, failed, bytes: size, doneBytes, isOver } = summaryOf(items)
  return (
    <section class="uploads" aria-label="Uploads">
      {/* For screen readers, which would read out the counts of each file. */}
      <p class="visually-hidden" role="status">
        {isOver ? `Upload ended: ${counted(done, "file")}` : `Uploading ${counted(files, "file")}`}
        {isOver && failed > 0 ? `, ${failed} failed` : ""}
      </p>
      <p>
        {done} of {files} uploaded ({bytes(doneBytes)} of {bytes(size)}){failed === 0 ? "" : `, ${failed} failed`}
      </p>
      <progress max={Math.max(size, 1)} value={size === 0 && isOver ? 1 : doneBytes} aria-label="Upload" />
      {failed === 0 ? null : (
        <ul>
          {items
            .filter(({ state }) => state === "failed")
            .map(({ path, reason }) => (
              <li key={path} class="error">
                {visibleText(path)}: {reason}
              </li>
            ))}
        </ul>
      )}
      {isOver ? (
        <p class="actions">
          {failed === 0 ? null : <button onClick={thenKeepFocus(() => void uploads.retry())}>Try failed again</button>}
          <button onClick={thenKeepFocus(() => uploads.clear())}>Close</button>
        </p>
      ) : null}
    </section>
  )
}

/** Runs the action of a button that the action itself removes: the focus then stays in the page. */
const thenKeepFocus = (act: () => void) => () => {
  const restoreFocus = keepFocus()
  act()
  restoreFocus()
}
