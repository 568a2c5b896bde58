// The tab "Webhooks": the tenant's webhooks, the form of a new one, and a new secret, which is shown once.
import { useEffect, useRef, useState } from "preact/hooks"
import type { NewWebhook, Webhook } from "../../schemas/api/webhooks.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { HookSecrets } from "./hook-secrets.tsx"
import { SecretShown } from "./secret-shown.tsx"
import { WebhookForm } from "./webhook-form.tsx"
import { WebhookRow } from "./webhook-row.tsx"

/** The state of a webhook that was changed last; of two equally old ones, the second. */
const newer = (first: Webhook, second: Webhook): Webhook => (first.updated_at <= second.updated_at ? second : first)

/** The webhooks of a list, then those that it lacks because they were created later; each in its newest state. */
const merged = (list: ReadonlyArray<Webhook>, others: ReadonlyArray<Webhook>): ReadonlyArray<Webhook> => {
  const othersById = new Map(others.map((webhook) => [webhook.id, webhook]))
  const listedIds = new Set(list.map(({ id }) => id))
  return [
    ...list.map((webhook) => newer(othersById.get(webhook.id) ?? webhook, webhook)),
    ...others.filter(({ id }) => !listedIds.has(id)),
  ]
}

export const Webhooks = () => {
  const { rows, isListed, error, read, replace, add, remove } = useWebhooks()
  const [isCreating, setCreating] = useState(false)
  /** The webhook whose new secret is shown. */
  const [withSecret, setWithSecret] = useState<NewWebhook | null>(null)
  const isLoading = !isListed && error === null
  return (
    <section class="hook-list" aria-label="Webhooks" aria-busy={isLoading}>
      <p class="hint">A webhook is called when something happens in any session of the tenant.</p>
      <div class="place-actions">
        <button class="primary" onClick={() => setCreating(true)}>
          New webhook…
        </button>
      </div>
      {withSecret === null ? null : (
        <SecretShown
          about={`the webhook ${withSecret.url}`}
          secret={withSecret.secret}
          onDone={() => setWithSecret(null)}
        />
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
              setWithSecret({ secret, ...webhook })
              replace(webhook)
            }}
            onDeleted={() => {
              remove(webhook.id)
              setWithSecret((shown) => (shown?.id === webhook.id ? null : shown))
            }}
          />
        ))}
      </ul>
      <HookSecrets />
      {isCreating ? (
        <WebhookForm
          onClose={() => setCreating(false)}
          onMade={({ secret, ...webhook }) => {
            setWithSecret({ secret, ...webhook })
            add(webhook)
          }}
        />
      ) : null}
    </section>
  )
}

/** The tenant's webhooks, read when the component is shown, with the changes that were made since. */
const useWebhooks = () => {
  const [rows, setRows] = useState<ReadonlyArray<Webhook>>([])
  /** False until the list was read. A webhook may have been created before. */
  const [isListed, setListed] = useState(false)
  /** A list that was requested before a webhook was deleted may still have it. */
  const deletedIds = useRef(new Set<string>())
  const [error, setError] = useState<string | null>(null)
  const read = async () => {
    setError(null)
    try {
      const { data } = await signedIn().transport.json<{ data: ReadonlyArray<Webhook> }>("GET", "/v1/webhooks")
      const listed = data.filter(({ id }) => !deletedIds.current.has(id))
      setRows((current) => merged(listed, current))
      setListed(true)
    } catch (cause) {
      setError(messageOf(cause))
    }
  }
  useEffect(() => void read(), [])
  return {
    rows,
    isListed,
    error,
    read,
    /** Replaces a webhook, unless the response is outdated or the webhook was deleted in the meantime. */
    replace: (webhook: Webhook) =>
      setRows((current) => current.map((row) => (row.id === webhook.id ? newer(row, webhook) : row))),
    add: (webhook: Webhook) => setRows((current) => merged(current, [webhook])),
    remove: (deletedId: string) => {
      deletedIds.current.add(deletedId)
      setRows((current) => current.filter(({ id }) => id !== deletedId))
    },
  }
}
