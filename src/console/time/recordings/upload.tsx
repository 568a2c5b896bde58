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
      const { transport } = signedIn()
      const path = recordingPath(await documentId(file))
      // A file may be large, so a known recording is found before the file is sent.
      const known = await transport.send("GET", path, { accept: [404] })
      if (known.status !== 404)
        throw new Error("The server already has this recording. Erase it first to upload the file.")
      const options = { body: file, repeat: "once", timeoutMs: TIMEOUT_MS } as const
      onUploaded(await transport.json("PUT", path, options))
    })
  return (
    <div class="upload-recording">
      <button disabled={request.isBusy} onClick={() => input.current?.click()}>
        {request.isBusy ? "Uploading…" : "Upload a recording…"}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,application/json"
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
