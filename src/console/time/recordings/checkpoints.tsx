// The named checkpoints of a recording: a list, and a form that adds one.
import { useEffect, useState } from "preact/hooks"
import { signedIn } from "../../app/server.ts"
import { Dialog, FormEnd } from "../../kit/dialog.tsx"
import { ErrorText } from "../../kit/error-text.tsx"
import { count } from "../../kit/format.ts"
import { useRequest } from "../../kit/use-request.ts"
import { type Recording, type RecordingDetails, recordingPath } from "./shapes.ts"

interface CheckpointsProps {
  readonly recording: Recording
  readonly onClose: () => void
}

export const Checkpoints = ({ recording: { id, name, signals }, onClose }: CheckpointsProps) => {
  const [details, setDetails] = useState<RecordingDetails | null>(null)
  const [title, setTitle] = useState("")
  const [index, setIndex] = useState(signals)
  // Separate requests, so that a checkpoint can be added before the list has loaded.
  const reading = useRequest()
  const naming = useRequest()
  const { transport } = signedIn()
  const read = () =>
    reading.run(async () => {
      const found = await transport.json<RecordingDetails>("GET", recordingPath(id))
      // If a checkpoint was added in the meantime, its response is newer.
      setDetails((known) => known ?? found)
    })
  useEffect(read, [id])
  const submit = (event: Event) => {
    event.preventDefault()
    naming.run(async () => {
      const json = { name: title.trim(), index }
      setDetails(await transport.json("POST", recordingPath(id, "/checkpoints"), { json, repeat: "once" }))
      // A name that was typed in the meantime is the next one.
      setTitle((typed) => (typed === title ? "" : typed))
    })
  }
  return (
    <Dialog title={`Checkpoints of “${name}”`} onClose={onClose}>
      {details === null && reading.error === null ? <p role="status">Loading…</p> : null}
      {details?.checkpoints.length === 0 ? <p class="empty">No checkpoint yet.</p> : null}
      <ol class="checkpoints" aria-label="Checkpoints" tabIndex={0}>
        {details?.checkpoints.map((place) => (
          <li key={place.name}>
            {place.name} <span class="hint">behind event {count(place.index)}</span>
          </li>
        ))}
      </ol>
      <form class="dialog-form" onSubmit={submit}>
        <label>
          Name
          <input
            value={title}
            required
            maxLength={200}
            onInput={({ currentTarget }) => setTitle(currentTarget.value)}
          />
        </label>
        <label>
          Behind event
          <input
            type="number"
            required
            min={0}
            max={signals}
            value={index}
            onInput={({ currentTarget }) => setIndex(currentTarget.valueAsNumber)}
          />
        </label>
        <ErrorText unread="The checkpoints" error={reading.error} onRetry={read} />
        <FormEnd
          request={naming}
          action="Name the place"
          busy="Naming…"
          isDisabled={title.trim() === "" || !Number.isInteger(index)}
          cancel="Close"
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}
