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
  const known = "webhook" in props ? props.webhook : undefined
  const [draft, setDraft] = useState(known === undefined ? EMPTY_DRAFT : draftOf(known))
  const [isTried, setTried] = useState(false)
  const once = useMemo(() => new OnceKey(newUuid), [])
  const request = useRequest()
  const faults = faultsOf(draft, known)
  const { transport } = signedIn()
  const save = async () => {
    if ("webhook" in props) {
      const json = updateBody(draft, props.webhook)
      const path = `/v1/webhooks/${encodeURIComponent(props.webhook.id)}`
      props.onChanged(Object.keys(json).length === 0 ? props.webhook : await transport.json("PATCH", path, { json }))
      return
    }
    const json = createBody(draft)
    props.onMade(await transport.json("POST", "/v1/webhooks", { json, headers: once.headersFor(json) }))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    setTried(true)
    if (faults.url === null && faults.events === null) request.run(save, props.onClose)
  }
  return (
    <Dialog title={known === undefined ? "New webhook" : "Edit the webhook"} onClose={props.onClose}>
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
            aria-invalid={isTried && faults.url !== null}
            onInput={({ currentTarget }) => setDraft({ ...draft, url: currentTarget.value })}
          />
        </label>
        {known?.url.includes("***") === true ? (
          <p class="hint">The stars hide a part of the address. It stays as it is unless you type another address.</p>
        ) : null}
        <ErrorText error={isTried ? faults.url : null} />
        <label>
          Patterns of event names, one a line
          <textarea
            class="code"
            rows={4}
            spellcheck={false}
            value={draft.events}
            aria-invalid={isTried && faults.events !== null}
            onInput={({ currentTarget }) => setDraft({ ...draft, events: currentTarget.value })}
          />
        </label>
        <p class="hint">sdk:result/* for ended turns, ask:opened, session:*, hook:fired/PreToolUse, ** for all.</p>
        <ErrorText error={isTried ? faults.events : null} />
        <label>
          Description
          <input
            value={draft.description}
            maxLength={500}
            onInput={({ currentTarget }) => setDraft({ ...draft, description: currentTarget.value })}
          />
        </label>
        <FormEnd
          request={request}
          action={known === undefined ? "Create" : "Save"}
          busy="Saving…"
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  )
}
