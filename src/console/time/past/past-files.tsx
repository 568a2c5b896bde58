// The files as they were at the place that is shown: a list, and the text of the selected file.
import { useEffect, useState } from "preact/hooks"
import { sessionPath } from "../../../client/api/transport.ts"
import { messageOf } from "../../app/server.ts"
import { ErrorText } from "../../kit/error-text.tsx"
import { bytes } from "../../kit/format.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import type { SessionStore } from "../../store/session-store.ts"
import type { ListedFile } from "../revert/places.ts"
import { textOfBytes } from "./file-text.ts"

interface PastFilesProps {
  readonly store: SessionStore
  /** Null means now; undefined until a place is requested. */
  readonly place: number | null | undefined
}

const LARGEST = 512 * 1024

export const PastFiles = ({ store, place }: PastFilesProps) => {
  const [files, setFiles] = useState<ReadonlyArray<ListedFile> | null>(null)
  const [hasMore, setMore] = useState(false)
  const [chosen, setChosen] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  const changes = place === null ? store.fileChanges.value : 0
  useEffect(() => {
    if (place === undefined) return undefined
    const stop = new AbortController()
    setError(null)
    const query = { limit: 500, at: place ?? undefined }
    const { transport } = store.server
    transport
      .json<{ readonly files: ReadonlyArray<ListedFile>; readonly next_cursor: string | null }>(
        "GET",
        sessionPath(store.id, "/files"),
        { query, signal: stop.signal },
      )
      .then(
        (page) => {
          setFiles(page.files.filter(({ type }) => type !== "directory"))
          setMore(page.next_cursor !== null)
        },
        (cause: unknown) => stop.signal.aborted || setError(messageOf(cause)),
      )
    return () => stop.abort()
  }, [store, place, changes, tries])
  const file = files?.find(({ path }) => path === chosen)
  return (
    <section class="past-files" aria-label="Files at this place">
      <h3>Files</h3>
      <ErrorText unread="The files" error={error} onRetry={() => setTries(tries + 1)} />
      {files?.length === 0 ? <p class="hint">None.</p> : null}
      <ul>
        {files?.map(({ path, size }) => (
          <li key={path}>
            <button aria-pressed={path === chosen} onClick={() => setChosen(path === chosen ? null : path)}>
              <code>{visibleText(path)}</code> <span class="hint">{bytes(size)}</span>
            </button>
            {file !== undefined && path === chosen ? (
              <FileText key={`${file.sha256 ?? ""}${file.size}`} store={store} file={file} place={place} />
            ) : null}
          </li>
        ))}
      </ul>
      {hasMore ? <p class="hint">Only the first files are listed here.</p> : null}
    </section>
  )
}

interface FileTextProps {
  readonly store: SessionStore
  readonly file: ListedFile
  readonly place: number | null | undefined
}

const FileText = ({ store, file, place }: FileTextProps) => {
  const [text, setText] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    setError(null)
    if (file.size > LARGEST) {
      setText("This file is too large to be shown here.")
      return undefined
    }
    const path = file.path.split("/").map(encodeURIComponent).join("/")
    const query = { at: place ?? undefined }
    store.server.transport
      .send("GET", sessionPath(store.id, `/files${path}`), { query, signal: stop.signal })
      .then(async (response) => setText(textOfBytes(await response.bytes())))
      .catch((cause: unknown) => stop.signal.aborted || setError(messageOf(cause)))
    return () => stop.abort()
  }, [store, file, place, tries])
  if (error !== null) return <ErrorText unread="The file" error={error} onRetry={() => setTries(tries + 1)} />
  return (
    <pre class="raw-text" tabIndex={0} role="region" aria-label={`Content of ${file.path}`}>
      {text ?? "Loading…"}
    </pre>
  )
}
