// A recording in the list: what it holds, its replay with the first difference, its document, its erasure.
import { useState } from "preact/hooks"
import { hashOf } from "../../app/router.ts"
import { signedIn } from "../../app/server.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { ErrorText } from "../../kit/error-text.tsx"
import { bytes, count, relativeTime } from "../../kit/format.ts"
import { useRequest } from "../../kit/use-request.ts"
import { type Recording, recordingPath, type ReplayReport } from "./shapes.ts"

interface RecordingRowProps {
  readonly recording: Recording
  readonly onErased: () => void
}

const MOST_MS = 11 * 60_000

export const RecordingRow = ({ recording, onErased }: RecordingRowProps) => {
  const { id, name, kind, tags, created_at, signals, answers } = recording
  const [report, setReport] = useState<ReplayReport | null>(null)
  const [isErasing, setErasing] = useState(false)
  const request = useRequest()
  const { transport } = signedIn()
  const replay = () =>
    request.run(async () => {
      const options = { json: {}, repeat: "once", timeoutMs: MOST_MS } as const
      setReport(await transport.json<ReplayReport>("POST", recordingPath(id, "/replay"), options))
    })
  const compare = (session: string) =>
    request.run(async () => setReport(await transport.json("GET", recordingPath(id, `/replays/${session}`))))
  const download = () =>
    request.run(async () => {
      const response = await transport.send("GET", recordingPath(id, "/download"))
      const link = document.createElement("a")
      link.href = URL.createObjectURL(await response.blob())
      link.download = `${id}.json`
      link.click()
      URL.revokeObjectURL(link.href)
    })
  const erase = () =>
    request.run(async () => {
      await transport.json("DELETE", recordingPath(id))
      onErased()
    })
  return (
    <li class="recording">
      <h2>{name}</h2>
      <p class="facts">
        <span>{kind}</span>
        <time dateTime={created_at}>{relativeTime(created_at)}</time>
        <span>{count(signals)} events</span>
        <span>{count(answers)} answers</span>
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
        <button disabled={request.isBusy} onClick={download}>
          Download
        </button>
        <button class="danger" disabled={request.isBusy} onClick={() => setErasing(true)}>
          Erase
        </button>
      </div>
      {report === null ? null : <Report report={report} onCompare={compare} />}
      <ErrorText error={request.error} />
      {isErasing ? (
        <Dialog title="Erase the recording" onClose={() => setErasing(false)}>
          <div class="dialog-form">
            <p>“{name}” is erased for good. Sessions that were made by replaying it stay.</p>
            <div class="dialog-buttons">
              <button onClick={() => setErasing(false)}>Cancel</button>
              <button class="danger" disabled={request.isBusy} onClick={erase}>
                Erase for good
              </button>
            </div>
            <ErrorText error={request.error} />
          </div>
        </Dialog>
      ) : null}
    </li>
  )
}

interface ReportProps {
  readonly report: ReplayReport
  readonly onCompare: (session: string) => void
}

const Report = ({ report, onCompare }: ReportProps) => {
  const { session_id: session, status, equal, events, difference, not_found } = report
  return (
    <div class="replay-report" role="status">
      <p>
        {status === "running"
          ? "The replay still runs."
          : equal === true
            ? `All ${count(events)} events are equal.`
            : "The replay differs from the recording."}{" "}
        {session === null ? null : (
          <a href={hashOf({ page: "session", id: session, screen: "chat" })}>Open the replayed session</a>
        )}
      </p>
      {status === "running" && session !== null ? (
        <button onClick={() => onCompare(session)}>Compare now</button>
      ) : null}
      {not_found === null ? null : <pre class="raw-text">{not_found}</pre>}
      {difference === null ? null : (
        <>
          <p>
            The first difference is in {difference.part}
            {difference.index === null ? "" : `, at event ${difference.index}`}: recorded{" "}
            {difference.recorded ?? "nothing"}, got {difference.got ?? "nothing"}.
          </p>
          <pre class="raw-text" tabIndex={0} role="region" aria-label="The first difference">
            {difference.text}
          </pre>
        </>
      )}
    </div>
  )
}
