// The raw text of an event, as in the log, as a signal, or as a message of the SDK; read when it is requested.
import { useState } from "preact/hooks"
import { messageOf, signedIn } from "../../app/server.ts"
import { CopyButton } from "../../kit/copy-button.tsx"
import type { RawEvent } from "../past/marks.ts"
import { type RawFormat, rawText } from "./raw-text.ts"

const FORMATS: ReadonlyArray<readonly [RawFormat, string]> = [
  ["log", "Log"],
  ["signal", "Signal"],
  ["sdk", "SDK"],
]

export const RawFormats = ({ session, event }: { readonly session: string; readonly event: RawEvent }) => {
  const [shown, setShown] = useState<{ readonly format: RawFormat; readonly text: string } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const show = async (format: RawFormat) => {
    setError(null)
    if (shown?.format === format) return setShown(null)
    try {
      setShown({ format, text: await rawText(signedIn().transport, session, event, format) })
    } catch (cause) {
      setError(messageOf(cause))
    }
  }
  return (
    <>
      <span role="group" aria-label="Raw formats" class="raw-formats">
        {FORMATS.map(([format, title]) => (
          <button key={format} aria-pressed={shown?.format === format} onClick={() => void show(format)}>
            {title}
          </button>
        ))}
      </span>
      <CopyButton label="Copy the JSON" text={() => shown?.text ?? JSON.stringify(event, null, 2)} />
      {error === null ? null : (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {shown === null ? null : (
        <pre class="raw-text" tabIndex={0} role="region" aria-label={`Raw event as ${shown.format}`}>
          {shown.text}
        </pre>
      )}
    </>
  )
}
