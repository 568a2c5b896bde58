// A bar above a session whose revert can be undone, with a button for that.
// If files have changed since, the server requires a choice about them, and this bar asks for it.
import { useState } from "preact/hooks"
import { ConflictError } from "../../../client/api/perch-error.ts"
import { sessionPath } from "../../../client/api/transport.ts"
import { ErrorText } from "../../kit/error-text.tsx"
import { useRequest } from "../../kit/use-request.ts"
import type { SessionStore } from "../../store/session-store.ts"

export const UnrevertBar = ({ store }: { readonly store: SessionStore }) => {
  const request = useRequest()
  const [isAsked, setAsked] = useState(false)
  const revert = store.session.value?.revert
  if (revert === undefined) return null
  const undo = (files?: "restore" | "keep") =>
    request.run(async () => {
      try {
        const json = files === undefined ? {} : { files }
        await store.server.transport.json("POST", sessionPath(store.id, "/unrevert"), { json, repeat: "once" })
        setAsked(false)
        await store.refresh()
      } catch (error) {
        if (error instanceof ConflictError && files === undefined && revert.snapshot !== undefined) setAsked(true)
        throw error
      }
    })
  return (
    <div class="unrevert" role="status">
      <span>
        The conversation was reverted{revert.snapshot === undefined ? "" : ", and its files were put back"}. The next
        prompt makes it final.
      </span>
      {isAsked ? (
        <>
          <button disabled={request.isBusy} onClick={() => undo("restore")}>
            Undo and restore the files
          </button>
          <button disabled={request.isBusy} onClick={() => undo("keep")}>
            Undo and keep the files
          </button>
        </>
      ) : (
        <button disabled={request.isBusy} onClick={() => undo()}>
          {request.isBusy ? "Undoing…" : "Undo the revert"}
        </button>
      )}
      <ErrorText error={request.error} />
    </div>
  )
}
