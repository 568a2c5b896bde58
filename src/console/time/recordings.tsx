// The page "Recordings": the tenant's recordings by pages, each with its replay, its document and its erasure.
import { useEffect, useState } from "preact/hooks"
import { messageOf, signedIn } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { RecordingRow } from "./recordings/recording-row.tsx"
import { Upload } from "./recordings/upload.tsx"
import type { Recording } from "./recordings/shapes.ts"

interface RecordingPage {
  readonly data: ReadonlyArray<Recording>
  readonly next_cursor: string | null
}

export const Recordings = () => {
  const [rows, setRows] = useState<ReadonlyArray<Recording>>([])
  /** Undefined before the first page, null behind the last one. */
  const [cursor, setCursor] = useState<string | null | undefined>(undefined)
  const [error, setError] = useState<string | null>(null)
  const more = async (after: string | undefined) => {
    setError(null)
    try {
      const query = { limit: 50, cursor: after }
      const page = await signedIn().transport.json<RecordingPage>("GET", "/v1/recordings", { query })
      setRows((known) => (after === undefined ? page.data : [...known, ...page.data]))
      setCursor(page.next_cursor)
    } catch (cause) {
      setError(messageOf(cause))
    }
  }
  useEffect(() => void more(undefined), [])
  return (
    <section class="recordings" aria-label="Recordings">
      <header class="recordings-head">
        <h1>Recordings</h1>
        <Upload onUploaded={(made) => setRows((known) => [made, ...known.filter(({ id }) => id !== made.id)])} />
      </header>
      <ErrorText error={error} />
      {error === null ? null : <button onClick={() => void more(cursor ?? undefined)}>Try again</button>}
      {cursor === undefined && error === null ? <p role="status">Loading…</p> : null}
      {cursor === null && rows.length === 0 ? (
        <p class="empty">
          No recordings yet. A session with the option runtime.mode "record" can be recorded on its Time screen.
        </p>
      ) : null}
      <ul>
        {rows.map((recording) => (
          <RecordingRow
            key={recording.id}
            recording={recording}
            onErased={() => setRows((known) => known.filter(({ id }) => id !== recording.id))}
          />
        ))}
      </ul>
      {typeof cursor === "string" ? <button onClick={() => void more(cursor)}>Older recordings</button> : null}
    </section>
  )
}
