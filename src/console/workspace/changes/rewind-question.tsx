// Restores the files of a checkpoint, after a dry run has shown what would change.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { messageOf } from "../../app/server.ts"
import { ErrorText } from "../../kit/error-text.tsx"
import { useRequest } from "../../kit/use-request.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import { Dialog, FormEnd } from "../../kit/dialog.tsx"
import type { SessionStore } from "../../store/session-store.ts"
import type { RewindReport } from "../../../schemas/api/files.ts"
import { rewindText } from "./checkpoints.ts"

interface RewindProps {
  readonly store: SessionStore
  readonly uuid: string
  readonly label: string
  readonly onDone: () => void
  readonly onClose: () => void
}

export const RewindQuestion = ({ store, uuid, label, onDone, onClose }: RewindProps) => {
  const report = useSignal<RewindReport | null>(null)
  const error = useSignal<string | null>(null)
  const request = useRequest()
  const attempt = useSignal(0)
  const session = store.server.client.session(store.id)
  const tries = attempt.value
  useEffect(() => {
    const stop = new AbortController()
    error.value = null
    session.rewind(uuid, { dryRun: true, signal: stop.signal }).then(
      (found) => (report.value = found),
      (cause: unknown) => {
        if (!stop.signal.aborted) error.value = messageOf(cause)
      },
    )
    return () => stop.abort()
  }, [uuid, tries])
  const rewind = async () => {
    const done = await session.rewind(uuid)
    if (!done.canRewind) throw new Error(done.error ?? "The files were not put back.")
    onDone()
  }
  const files = report.value?.filesChanged ?? []
  return (
    <Dialog title="Rewind the files?" onClose={onClose}>
      <p>To where they were before the prompt “{label}”. The conversation stays as it is.</p>
      <p role="status">{report.value === null ? "Looking what would change…" : rewindText(report.value)}</p>
      {files.length === 0 ? null : (
        <ul class="rewind-files" tabIndex={0} aria-label="Files that would change">
          {files.map((path) => (
            <li key={path}>{visibleText(path)}</li>
          ))}
        </ul>
      )}
      <ErrorText error={error.value} onRetry={report.value === null ? () => (attempt.value += 1) : undefined} />
      <FormEnd
        request={request}
        action="Rewind"
        busy="Rewinding…"
        onAction={() => request.run(rewind, onClose)}
        isDangerous
        isDisabled={report.value?.canRewind !== true || files.length === 0}
        onCancel={onClose}
      />
    </Dialog>
  )
}
