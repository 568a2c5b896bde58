// The tab "Webhooks": the tenant's webhooks, the form of a new one, and a new secret, which is shown once.
import { useEffect, useRef, useState } from "preact/hooks"
import type { NewWebhook, Webhook } from "../../schemas/api/webhooks.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { HookSecrets } from "./hook-secrets.tsx"
import { SecretShown } from "./secret-shown.tsx"
import { WebhookForm } from "./webhook-form.tsx"
import { WebhookRow } from "./webhook-row.tsx"

const newer = (one: Webhook, other: Webhook): Webhook => (one.updated_at <= other.updated_at ? other : one)

/** The webhooks of a list and those that it does not have, because they were created later; each in its newest state. */
const joined = (list: ReadonlyArray<Webhook>, others: ReadonlyArray<Webhook>): ReadonlyArray<Webhook> => {
  const found = new Map(others.map((webhook) => [webhook.id, webhook]))
  const listed = list.map((webhook) => newer(found.get(webhook.id) ?? webhook, webhook))
  const ids = new Set(list.map(({ id }) => id))
  return [...listed, ...others.filter(({ id }) => !ids.has(id))]
}

export const Webhooks = () => {
  const [rows, setRows] = useState<ReadonlyArray<Webhook>>([])
  /** False until the list was read. A webhook may have been created before. */
  const [isListed, setListed] = useState(false)
  /** A list that was requested before a webhook was deleted may still have it. */
  const deleted = useRef(new Set<string>())
  const [error, setError] = useState<string | null>(null)
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<NewWebhook | null>(null)
  const read = async () => {
    setError(null)
    try {
      const { data } = await signedIn().transport.json<{ data: ReadonlyArray<Webhook> }>("GET", "/v1/webhooks")
      setRows((known) =>
        joined(
          data.filter(({ id }) => !deleted.current.has(id)),
          known,
        ),
      )
      setListed(true)
    } catch (cause) {
      setError(messageOf(cause))
    }
  }
  useEffect(() => void read(), [])
  /** Replaces a webhook, unless the response is outdated or the webhook was deleted in the meantime. */
  const replace = (webhook: Webhook) =>
    setRows((known) => known.map((one) => (one.id === webhook.id ? newer(one, webhook) : one)))
  const isLoading = !isListed && error === null
  return (
    <section class="hook-list" aria-label="Webhooks" aria-busy={isLoading}>
      <p class="hint">A webhook is called when something happens in any session of the tenant.</p>
      <div class="place-actions">
        <button class="primary" onClick={() => setMaking(true)}>
          New webhook…
        </button>
      </div>
      {made === null ? null : (
        <SecretShown about={`the webhook ${made.url}`} secret={made.secret} onDone={() => setMade(null)} />
      )}
      <ErrorText unread="The webhooks" error={error} onRetry={read} />
      {isLoading ? (
        <p class="loading" role="status">
          Loading…
        </p>
      ) : null}
      {isListed && rows.length === 0 ? <p class="empty">No webhook.</p> : null}
      <ul class="webhook-list">
        {rows.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            onChange={replace}
            onSecret={({ secret, ...webhook }) => {
              setMade({ secret, ...webhook })
              replace(webhook)
            }}
            onDeleted={() => {
              deleted.current.add(webhook.id)
              setRows((known) => known.filter(({ id }) => id !== webhook.id))
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
            setRows((known) => joined(known, [webhook]))
          }}
        />
      ) : null}
    </section>
  )
}
