// The tab "Webhooks": the tenant's webhooks, the form of a new one, and a new secret, which is shown once.
import { useEffect, useState } from "preact/hooks"
import type { NewWebhook, Webhook } from "../../schemas/api/webhooks.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { HookSecrets } from "./hook-secrets.tsx"
import { SecretShown } from "./secret-shown.tsx"
import { WebhookForm } from "./webhook-form.tsx"
import { WebhookRow } from "./webhook-row.tsx"

export const Webhooks = () => {
  const [rows, setRows] = useState<ReadonlyArray<Webhook> | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<NewWebhook | null>(null)
  const read = async () => {
    setError(null)
    try {
      const { data } = await signedIn().transport.json<{ data: ReadonlyArray<Webhook> }>("GET", "/v1/webhooks")
      const listed = new Set(data.map(({ id }) => id))
      // A webhook that was created after the request was sent is not in the list.
      setRows((known) => [...data, ...(known ?? []).filter(({ id }) => !listed.has(id))])
    } catch (cause) {
      setError(messageOf(cause))
    }
  }
  useEffect(() => void read(), [])
  /** Replaces a webhook, unless the response is outdated or the webhook was deleted in the meantime. */
  const replace = (webhook: Webhook) =>
    setRows((known) => {
      const isNewer = (one: Webhook) => one.id === webhook.id && one.updated_at <= webhook.updated_at
      return known?.map((one) => (isNewer(one) ? webhook : one)) ?? null
    })
  return (
    <section class="hook-list" aria-label="Webhooks" aria-busy={rows === null && error === null}>
      <p class="hint">A webhook is called when something happens in any session of the tenant.</p>
      <div class="place-actions">
        <button class="primary" onClick={() => setMaking(true)}>
          New webhook…
        </button>
      </div>
      {made === null ? null : (
        <SecretShown about={`the webhook ${made.url}`} secret={made.secret} onDone={() => setMade(null)} />
      )}
      <ErrorText error={error} />
      {error === null ? null : <button onClick={() => void read()}>Try again</button>}
      {rows === null && error === null ? (
        <p class="loading" role="status">
          Loading…
        </p>
      ) : null}
      {rows?.length === 0 ? <p class="empty">No webhook.</p> : null}
      <ul class="webhook-list">
        {(rows ?? []).map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            onChange={replace}
            onSecret={({ secret, ...webhook }) => {
              setMade({ secret, ...webhook })
              replace(webhook)
            }}
            onDeleted={() => {
              setRows((known) => known?.filter(({ id }) => id !== webhook.id) ?? null)
              setMade((shown) => (shown?.id === webhook.id ? null : shown))
            }}
          />
        ))}
      </ul>
      <HookSecrets />
      {isMaking ? (
        <WebhookForm
          onClose={() => setMaking(false)}
          onMade={({ secret, ...webhook }) => {
            setMade({ secret, ...webhook })
            setRows((known) => [...(known ?? []).filter(({ id }) => id !== webhook.id), webhook])
          }}
        />
      ) : null}
    </section>
  )
}
