// A recording in the list: its contents, its replay with the first difference, its checkpoints, and its download and erasure.
import { useState } from "preact/hooks"
import { signedIn } from "../../app/server.ts"
import { Dialog, FormEnd } from "../../kit/dialog.tsx"
import { ErrorText } from "../../kit/error-text.tsx"
import { bytes, counted, relativeTime } from "../../kit/format.ts"
import { saveAs } from "../../kit/save-as.ts"
import { useRequest } from "../../kit/use-request.ts"
import { Checkpoints } from "./checkpoints.tsx"
import { Report } from "./replay-report.tsx"
import { replayed, replayOf } from "./replays.ts"
import { type Recording, recordingPath } from "./shapes.ts"

interface RecordingRowProps {
  readonly recording: Recording
  readonly onErased: () => void
}

export const RecordingRow = ({ recording, onErased }: RecordingRowProps) => {
  const { id, name, kind, tags, created_at, signals, answers } = recording
  const report = replayOf(id)
  const [isNaming, setNaming] = useState(false)
  const [isErasing, setErasing] = useState(false)
  const request = useRequest()
  const { transport } = signedIn()
  const replay = () => request.run(() => replayed(transport, id))
  const download = () =>
    request.run(async () => {
      const response = await transport.send("GET", recordingPath(id, "/download"))
      saveAs(await response.blob(), `${id}.json`)
    })
  const erase = () =>
    request.run(async () => {
      // It may have been erased in another tab, or by a request whose response was lost.
      await transport.send("DELETE", recordingPath(id), { accept: [404] })
      onErased()
    })
  return (
    <li class="recording">
      <h2>{name}</h2>
      <p class="facts">
        <span>{kind}</span>
        <time dateTime={created_at}>{relativeTime(created_at)}</time>
        <span>{counted(signals, "event")}</span>
        <span>{counted(answers, "answer")}</span>
        <span>{bytes(recording.bytes)}</span>
        {tags.map((tag) => (
          <span key={tag} class="badge">
            {tag}
          </span>
        ))}
      </p>
      <div class="place-actions">
        <button disabled={request.isBusy} onClick={replay}>
          {request.isBusy ? "Working…" : "Replay"}
        </button>
        <button onClick={() => setNaming(true)}>Checkpoints…</button>
        <button disabled={request.isBusy} onClick={download}>
          Download
        </button>
        <button class="danger" disabled={request.isBusy} onClick={() => setErasing(true)}>
          Erase
        </button>
      </div>
      {report === undefined ? null : <Report report={report} />}
      {isErasing ? null : <ErrorText error={request.error} />}
      {isNaming ? <Checkpoints recording={recording} onClose={() => setNaming(false)} /> : null}
      {isErasing ? (
        <Dialog title="Erase the recording" onClose={() => setErasing(false)}>
          <div class="dialog-form">
            <p>“{name}” is erased for good. Sessions that were made by replaying it stay.</p>
            <FormEnd
              request={request}
              action="Erase for good"
              busy="Erasing…"
              onAction={erase}
              isDangerous
              onCancel={() => setErasing(false)}
            />
          </div>
        </Dialog>
      ) : null}
    </li>
  )
}
