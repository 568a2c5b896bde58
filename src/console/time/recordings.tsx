// The page "Recordings": the tenant's recordings in pages, each with actions to replay, download and erase it.
import { useEffect, useState } from "preact/hooks"
import { signedIn } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { useRequest } from "../kit/use-request.ts"
import { RecordingRow } from "./recordings/recording-row.tsx"
import { Upload } from "./recordings/upload.tsx"
import type { Recording } from "./recordings/shapes.ts"

interface RecordingPage {
  readonly data: ReadonlyArray<Recording>
  readonly next_cursor: string | null
}

export const Recordings = () => {
  const [rows, setRows] = useState<ReadonlyArray<Recording>>([])
  /** Undefined before the first page, null after the last one. */
  const [cursor, setCursor] = useState<string | null | undefined>(undefined)
  const { isBusy, error, run } = useRequest()
  const more = (after: string | undefined) =>
    run(async () => {
      const query = { limit: 50, cursor: after }
      const page = await signedIn().transport.json<RecordingPage>("GET", "/v1/recordings", { query })
      setRows((known) => {
        const listed = new Set(known.map(({ id }) => id))
        return [...known, ...page.data.filter(({ id }) => !listed.has(id))]
      })
      setCursor(page.next_cursor)
    })
  useEffect(() => more(undefined), [])
  return (
    <section class="recordings" aria-label="Recordings">
      <header class="recordings-head">
        <h1>Recordings</h1>
        <Upload onUploaded={(made) => setRows((known) => [made, ...known.filter(({ id }) => id !== made.id)])} />
      </header>
      <ErrorText unread="The recordings" error={error} onRetry={() => more(cursor ?? undefined)} />
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
      {typeof cursor === "string" ? (
        <button disabled={isBusy} onClick={() => more(cursor)}>
          {isBusy ? "Loading…" : "Older recordings"}
        </button>
      ) : null}
    </section>
  )
}
