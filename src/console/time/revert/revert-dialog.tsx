// A dialog that shows what a revert would remove before it is executed, with or without restoring the files.
import { useEffect, useState } from "preact/hooks"
import { sessionPath } from "../../../client/api/transport.ts"
import { Dialog, FormEnd } from "../../kit/dialog.tsx"
import { ErrorText } from "../../kit/error-text.tsx"
import { useRequest } from "../../kit/use-request.ts"
import type { SessionStore } from "../../store/session-store.ts"
import type { Leaving, RevertTarget } from "./places.ts"

export interface RevertFacts {
  /** Null when there is nothing to remove. */
  readonly target: RevertTarget | null
  /** Whether the message at the place keeps its beginning and loses its rest. */
  readonly hasRest: boolean
  readonly leaving: Leaving
  readonly hasMore: boolean
  /** The changes of files, one line each; null when they can't be determined in advance. */
  readonly files: ReadonlyArray<string> | null
}

interface RevertDialogProps {
  readonly store: SessionStore
  readonly readFacts: () => Promise<RevertFacts>
  readonly onClose: () => void
}

const FILES = 12
const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

export const RevertDialog = ({ store, readFacts, onClose }: RevertDialogProps) => {
  const [facts, setFacts] = useState<RevertFacts | null>(null)
  const [withFiles, setWithFiles] = useState(true)
  const reading = useRequest()
  const request = useRequest()
  const read = () => reading.run(readFacts, setFacts)
  useEffect(read, [])
  const target = facts?.target ?? null
  const submit = (event: Event) => {
    event.preventDefault()
    if (target === null) return
    const revert = async () => {
      const json = { ...target, rewindFiles: withFiles }
      const { transport } = store.server
      await transport.json("POST", sessionPath(store.id, "/revert"), { json, repeat: "once" })
      await store.refresh()
    }
    request.run(revert, onClose)
  }
  return (
    <Dialog title="Revert to here" onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        {facts === null && reading.error === null ? <p role="status">Looking what would go away…</p> : null}
        {facts === null ? null : <Facts facts={facts} />}
        <label class="check">
          <input
            type="checkbox"
            checked={withFiles}
            onChange={({ currentTarget }) => setWithFiles(currentTarget.checked)}
          />
          Put the files back too
        </label>
        <p class="hint">
          Nothing is deleted: until the next prompt the revert can be undone. What was spent stays counted.
        </p>
        <ErrorText unread="What would go away" error={reading.error} onRetry={read} />
        <FormEnd
          request={request}
          action="Revert"
          busy="Reverting…"
          isDangerous
          isDisabled={target === null}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

const Facts = ({ facts: { target, hasRest, leaving, hasMore, files } }: { readonly facts: RevertFacts }) => {
  if (target === null) return <p>Nothing came after this place: there is nothing to revert.</p>
  return (
    <>
      <p>
        {hasRest ? "The rest of the message at this place and " : ""}
        {hasMore ? "more than " : ""}
        {many(leaving.messages, "message")} ({many(leaving.prompts, "prompt")}) would leave the conversation
        {leaving.first === "" ? "." : `, beginning with “${leaving.first}”.`}
      </p>
      {files === null ? <p>The files would go back to the last step before it.</p> : <FileFacts files={files} />}
    </>
  )
}

const FileFacts = ({ files }: { readonly files: ReadonlyArray<string> }) =>
  files.length === 0 ? (
    <p>No file would change.</p>
  ) : (
    <>
      <p>{many(files.length, "file")} would change when files are put back:</p>
      <ul class="file-facts">
        {files.slice(0, FILES).map((file) => (
          <li key={file}>
            <code>{file}</code>
          </li>
        ))}
        {files.length > FILES ? <li>and {files.length - FILES} more</li> : null}
      </ul>
    </>
  )
