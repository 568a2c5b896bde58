// Uploads the document of a recording under the id that it contains.
import { useRef } from "preact/hooks"
import { signedIn } from "../../app/server.ts"
import { ErrorText } from "../../kit/error-text.tsx"
import { useRequest } from "../../kit/use-request.ts"
import { documentId } from "./document-id.ts"
import { type RecordingDetails, recordingPath } from "./shapes.ts"

const TIMEOUT_MS = 10 * 60_000

export const Upload = ({ onUploaded }: { readonly onUploaded: (recording: RecordingDetails) => void }) => {
  const input = useRef<HTMLInputElement>(null)
  const request = useRequest()
  const upload = (file: File) =>
    request.run(async () => {
      const id = await documentId(file)
      const options = { body: file, repeat: "once", timeoutMs: TIMEOUT_MS } as const
      onUploaded(await signedIn().transport.json("PUT", recordingPath(id), options))
    })
  return (
    <div class="upload-recording">
      <button disabled={request.isBusy} onClick={() => input.current?.click()}>
        {request.isBusy ? "Uploading…" : "Upload a recording…"}
      </button>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        accept=".json,application/json"
        tabIndex={-1}
        aria-label="Recording to upload"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file !== undefined) upload(file)
          currentTarget.value = ""
        }}
      />
      <ErrorText error={request.error} />
    </div>
  )
}
