// A dialog that creates a new secret, and asks how long the previous one continues to sign.
import { newUuid } from "../../client/api/new-uuid.ts"
import { useMemo, useState } from "preact/hooks"
import { signedIn } from "../app/server.ts"
import { Dialog, FormEnd } from "../kit/dialog.tsx"
import { useRequest } from "../kit/use-request.ts"
import { OnceKey } from "../store/once-key.ts"

const OVERLAPS = [
  [0, "Not at all"],
  [3600, "1 hour"],
  [86_400, "24 hours"],
  [604_800, "7 days"],
] as const

interface RollDialogProps<A> {
  readonly title: string
  readonly path: string
  readonly onRolled: (answer: A) => void
  readonly onClose: () => void
}

export const RollDialog = <A,>({ title, path, onRolled, onClose }: RollDialogProps<A>) => {
  const [overlap, setOverlap] = useState(86_400)
  const once = useMemo(() => new OnceKey(newUuid), [])
  const request = useRequest()
  const submit = (event: Event) => {
    event.preventDefault()
    const roll = async () => {
      const json = { overlap_seconds: overlap }
      onRolled(await signedIn().transport.json<A>("POST", path, { json, headers: once.headersFor(json) }))
    }
    request.run(roll, onClose)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <p>Deliveries are signed with the new secret at once, and with the previous one too for a while.</p>
        <label>
          The previous secret keeps signing
          <select value={overlap} onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}>
            {OVERLAPS.map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <FormEnd request={request} action="Make a new secret" busy="Making…" onCancel={onClose} />
      </form>
    </Dialog>
  )
}
