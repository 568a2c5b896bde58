// A dialog that asks for the title of a fork, creates it, and opens it.
import { newUuid } from "../../../client/api/new-uuid.ts"
import { useMemo, useState } from "preact/hooks"
import type { Session } from "../../../client/api/session-shapes.ts"
import { sessionPath } from "../../../client/api/transport.ts"
import { go } from "../../app/router.ts"
import { shownTitle } from "../../app/session-title.ts"
import { shorten } from "../../kit/text/cut-text.ts"
import { Dialog, FormEnd } from "../../kit/dialog.tsx"
import { useRequest } from "../../kit/use-request.ts"
import { OnceKey } from "../../store/once-key.ts"
import type { SessionStore } from "../../store/session-store.ts"

interface ForkDialogProps {
  readonly store: SessionStore
  /** Describes where the fork ends, in words. */
  readonly here: string
  /** Finds the uuid of the message after which the fork continues. */
  readonly findUuid: () => Promise<string | undefined>
  readonly onClose: () => void
}

export const ForkDialog = ({ store, here, findUuid, onClose }: ForkDialogProps) => {
  const [title, setTitle] = useState(shorten(`Fork of ${shownTitle(store)}`, 200))
  const once = useMemo(() => new OnceKey(newUuid), [])
  const request = useRequest()
  const submit = (event: Event) => {
    event.preventDefault()
    const fork = async () => {
      const at = await findUuid()
      if (at === undefined) throw new Error("There is no message at this place yet. Choose a later place.")
      const json = { at, title: title.trim() === "" ? null : title.trim() }
      const { transport } = store.server
      return transport.json<Session>("POST", sessionPath(store.id, "/fork"), { json, headers: once.headersFor(json) })
    }
    request.run(fork, ({ id }) => {
      onClose()
      go({ page: "session", id, screen: "chat" })
    })
  }
  return (
    <Dialog title="Fork from here" onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <p>
          A new session gets the conversation up to {here}, and the files as they are now. This session stays as it is.
        </p>
        <label>
          Title
          <input value={title} maxLength={200} onInput={({ currentTarget }) => setTitle(currentTarget.value)} />
        </label>
        <FormEnd request={request} action="Fork" busy="Forking…" onCancel={onClose} />
      </form>
    </Dialog>
  )
}
