// A webhook in the list: its address, patterns and state, its actions, and its deliveries.
import { newUuid } from "../../client/api/new-uuid.ts"
import { useEffect, useMemo, useState } from "preact/hooks"
import type { NewWebhook, Webhook } from "../../schemas/api/webhooks.ts"
import { signedIn } from "../app/server.ts"
import { Dialog, FormEnd } from "../kit/dialog.tsx"
import { ErrorText } from "../kit/error-text.tsx"
import { count, relativeTime } from "../kit/format.ts"
import { type RequestState, useRequest } from "../kit/use-request.ts"
import { OnceKey } from "../store/once-key.ts"
import { Deliveries } from "./deliveries.tsx"
import { stateOfWebhook } from "./delivery-facts.ts"
import { RollDialog } from "./roll-dialog.tsx"
import { WebhookForm } from "./webhook-form.tsx"

interface WebhookRowProps {
  readonly webhook: Webhook
  readonly onChange: (webhook: Webhook) => void
  readonly onSecret: (webhook: NewWebhook) => void
  readonly onDeleted: () => void
}

export const WebhookRow = ({ webhook, onChange, onSecret, onDeleted }: WebhookRowProps) => {
  const { id, url, enabled } = webhook
  const [dialog, setDialog] = useState<"edit" | "secret" | "delete" | null>(null)
  const [isOpen, setOpen] = useState(false)
  /** Number of test events that were sent; each one refreshes the list of deliveries. */
  const [tests, setTests] = useState(0)
  const [attempts, setAttempts] = useState(0)
  const once = useMemo(() => new OnceKey(newUuid), [])
  const request = useRequest()
  const { transport } = signedIn()
  const path = `/v1/webhooks/${encodeURIComponent(id)}`
  const close = () => setDialog(null)
  // An attempt may have disabled the webhook, or shown that it works again.
  useEffect(() => {
    if (attempts === 0) return undefined
    const stop = new AbortController()
    transport.json<Webhook>("GET", path, { signal: stop.signal }).then(onChange, () => {
      // The row keeps its state after an error: the list of deliveries reports the error of its own request.
    })
    return () => stop.abort()
  }, [attempts])
  const toggle = () =>
    request.run(async () => onChange(await transport.json<Webhook>("PATCH", path, { json: { enabled: !enabled } })))
  const test = () =>
    request.run(async () => {
      await transport.json("POST", `${path}/test`, { headers: once.headersFor(path) })
      once.forget()
      setOpen(true)
      setTests(tests + 1)
    })
  const erase = () =>
    request.run(async () => {
      await transport.send("DELETE", path, { accept: [404] })
      onDeleted()
    })
  return (
    <li class="webhook" aria-label={url}>
      <h2>{url}</h2>
      <WebhookFacts webhook={webhook} />
      <div class="place-actions">
        <button disabled={request.isBusy || !enabled} onClick={test}>
          Send a test event
        </button>
        <button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Deliveries
        </button>
        <button onClick={() => setDialog("edit")}>Edit…</button>
        <button onClick={() => setDialog("secret")}>New secret…</button>
        <button disabled={request.isBusy} onClick={toggle}>
          {enabled ? "Disable" : "Enable"}
        </button>
        <button class="danger" onClick={() => setDialog("delete")}>
          Delete…
        </button>
      </div>
      {dialog === "delete" ? null : <ErrorText error={request.error} />}
      {isOpen ? <Deliveries path={path} tests={tests} onAttempts={setAttempts} /> : null}
      {dialog === "edit" ? <WebhookForm webhook={webhook} onClose={close} onChanged={onChange} /> : null}
      {dialog === "secret" ? (
        <RollDialog<NewWebhook>
          title="New secret of the webhook"
          path={`${path}/secret`}
          onClose={close}
          onRolled={onSecret}
        />
      ) : null}
      {dialog === "delete" ? <DeleteDialog url={url} request={request} onDelete={erase} onClose={close} /> : null}
    </li>
  )
}

interface DeleteDialogProps {
  readonly url: string
  readonly request: RequestState
  readonly onDelete: () => void
  readonly onClose: () => void
}

const DeleteDialog = ({ url, request, onDelete, onClose }: DeleteDialogProps) => (
  <Dialog title="Delete the webhook" onClose={onClose}>
    <div class="dialog-form">
      <p class="webhook-url">{url} and its deliveries are deleted for good; what is pending is not sent.</p>
      <FormEnd
        request={request}
        action="Delete for good"
        busy="Deleting…"
        onAction={onDelete}
        isDangerous
        onCancel={onClose}
      />
    </div>
  </Dialog>
)

const WebhookFacts = ({ webhook }: { readonly webhook: Webhook }) => {
  const { events, description, enabled, failing_since, last_success_at, pending } = webhook
  return (
    <>
      {description === "" ? null : <p>{description}</p>}
      <p class="facts">
        <span class={enabled ? "badge webhook-on" : "badge webhook-off"}>{stateOfWebhook(webhook)}</span>
        {pending === 0 ? null : <span>{count(pending)} pending</span>}
        {failing_since === null ? null : (
          <span class="error">failing (first failure: {relativeTime(failing_since)})</span>
        )}
        {last_success_at === null ? null : (
          <time dateTime={last_success_at}>last delivered {relativeTime(last_success_at)}</time>
        )}
      </p>
      <p class="facts" role="group" aria-label="Patterns">
        {events.map((pattern) => (
          <code key={pattern}>{pattern}</code>
        ))}
      </p>
    </>
  )
}
