// A dialog that saves the session up to now as a recording, with a name and tags; for a session that can't be recorded, one
// that shows why.
import { newUuid } from "../../../client/api/new-uuid.ts"
import { useMemo, useState } from "preact/hooks"
import { shownTitle } from "../../app/session-title.ts"
import { Dialog, FormEnd } from "../../kit/dialog.tsx"
import { useRequest } from "../../kit/use-request.ts"
import { OnceKey } from "../../store/once-key.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { type RecordingDetails, tagsOf } from "./shapes.ts"

export const RecordDialog = ({ store, onClose }: { readonly store: SessionStore; readonly onClose: () => void }) => {
  const [name, setName] = useState(shownTitle(store))
  const [tags, setTags] = useState("")
  const [made, setMade] = useState<RecordingDetails | null>(null)
  const once = useMemo(() => new OnceKey(newUuid), [])
  const request = useRequest()
  const submit = (event: Event) => {
    event.preventDefault()
    request.run(async () => {
      const json = {
        session_id: store.id,
        tags: tagsOf(tags),
        ...(name.trim() === "" ? {} : { name: name.trim() }),
      }
      const headers = once.headersFor(json)
      setMade(await store.server.transport.json("POST", "/v1/recordings", { json, headers }))
    })
  }
  return (
    <Dialog title="Make a recording" onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <p>
          A recording is a copy of the log and of every answer from outside as they are now. It can be replayed without
          a model.
        </p>
        <label>
          Name
          <input value={name} maxLength={200} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
        <label>
          Tags, separated by commas
          <input value={tags} onInput={({ currentTarget }) => setTags(currentTarget.value)} />
        </label>
        {made === null ? null : (
          <p role="status">
            Recorded {made.signals} events. <a href="#/recordings">Open the recordings</a>
          </p>
        )}
        <FormEnd
          request={request}
          action="Record"
          busy="Recording…"
          isDisabled={made !== null}
          cancel={made === null ? "Cancel" : "Close"}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

export const NotRecorded = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Make a recording" onClose={onClose}>
    <p>
      This session can’t be recorded. Only a session that was created with the option <code>runtime.mode</code> set to{" "}
      <code>record</code> can: its answers from outside are kept from the beginning.
    </p>
    <div class="dialog-buttons">
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  </Dialog>
)
