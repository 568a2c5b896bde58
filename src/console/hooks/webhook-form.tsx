// The form of a new or existing webhook. Its values stay when the server rejects them.
import { newUuid } from "../../client/api/new-uuid.ts"
import { useMemo, useState } from "preact/hooks"
import type { NewWebhook, Webhook } from "../../schemas/api/webhooks.ts"
import { signedIn } from "../app/server.ts"
import { Dialog, FormEnd } from "../kit/dialog.tsx"
import { ErrorText } from "../kit/error-text.tsx"
import { useRequest } from "../kit/use-request.ts"
import { OnceKey } from "../store/once-key.ts"
import { createBody, draftOf, EMPTY_DRAFT, faultsOf, updateBody } from "./webhook-draft.ts"

type WebhookFormProps =
  | { readonly onClose: () => void; readonly onMade: (webhook: NewWebhook) => void }
  | { readonly onClose: () => void; readonly webhook: Webhook; readonly onChanged: (webhook: Webhook) => void }

export const WebhookForm = (props: WebhookFormProps) => {
  const existing = "webhook" in props ? props.webhook : undefined
  const [draft, setDraft] = useState(existing === undefined ? EMPTY_DRAFT : draftOf(existing))
  const [wasSubmitted, setSubmitted] = useState(false)
  const once = useMemo(() => new OnceKey(newUuid), [])
  const request = useRequest()
  const faults = faultsOf(draft, existing)
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  const save = async () => {
    if ("webhook" in props) return props.onChanged(await update(props.webhook, updateBody(draft, props.webhook)))
    const json = createBody(draft)
    props.onMade(await signedIn().transport.json("POST", "/v1/webhooks", { json, headers: once.headersFor(json) }))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    setSubmitted(true)
    if (faults.url === null && faults.events === null) request.run(save, props.onClose)
  }
  return (
    <Dialog title={existing === undefined ? "New webhook" : "Edit the webhook"} onClose={props.onClose}>
      <form class="dialog-form" onSubmit={submit} noValidate>
        <label>
          Address
          <input
            type="url"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            placeholder="https://example.com/perch"
            value={draft.url}
            aria-invalid={wasSubmitted && faults.url !== null}
            onInput={({ currentTarget }) => set({ url: currentTarget.value })}
          />
        </label>
        {existing?.url.includes("***") === true ? (
          <p class="hint">The stars hide a part of the address. It stays as it is unless you type another address.</p>
        ) : null}
        <ErrorText error={wasSubmitted ? faults.url : null} />
        <label>
          Patterns of event names, one a line
          <textarea
            class="code"
            rows={4}
            spellcheck={false}
            value={draft.events}
            aria-invalid={wasSubmitted && faults.events !== null}
            onInput={({ currentTarget }) => set({ events: currentTarget.value })}
          />
        </label>
        <p class="hint">sdk:result/* for ended turns, ask:opened, session:*, hook:fired/PreToolUse, ** for all.</p>
        <ErrorText error={wasSubmitted ? faults.events : null} />
        <label>
          Description
          <input
            value={draft.description}
            maxLength={500}
            onInput={({ currentTarget }) => set({ description: currentTarget.value })}
          />
        </label>
        <FormEnd
          request={request}
          action={existing === undefined ? "Create" : "Save"}
          busy="Saving…"
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  )
}

/** The webhook after the changes; without changes no request is sent. */
const update = (webhook: Webhook, json: ReturnType<typeof updateBody>): Webhook | Promise<Webhook> =>
  Object.keys(json).length === 0
    ? webhook
    : signedIn().transport.json("PATCH", `/v1/webhooks/${encodeURIComponent(webhook.id)}`, { json })
