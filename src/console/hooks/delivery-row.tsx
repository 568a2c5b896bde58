// One delivery: its event, state, attempts and the time of the next one, with a button to redeliver it.
import { newUuid } from "../../client/api/new-uuid.ts"
import { useMemo } from "preact/hooks"
import type { WebhookDelivery } from "../../schemas/api/webhooks.ts"
import { hashOf } from "../app/router.ts"
import { signedIn } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { relativeTime } from "../kit/format.ts"
import { useRequest } from "../kit/use-request.ts"
import { OnceKey } from "../store/once-key.ts"
import { attemptsOf } from "./delivery-facts.ts"

interface DeliveryRowProps {
  readonly delivery: WebhookDelivery
  readonly path: string
  readonly onChange: (delivery: WebhookDelivery) => void
}

export const DeliveryRow = ({ delivery, path, onChange }: DeliveryRowProps) => {
  const { id, type, state, created_at, next_attempt_at, session_id, seq } = delivery
  const once = useMemo(() => new OnceKey(newUuid), [])
  const request = useRequest()
  const redeliver = () =>
    request.run(async () => {
      const headers = once.headersFor(path)
      onChange(await signedIn().transport.json<WebhookDelivery>("POST", `${path}/redeliver`, { headers }))
      once.forget()
    })
  return (
    <li class="delivery">
      <code title={id}>{type}</code>
      <span class={`badge delivery-${state}`}>{state}</span>
      <span class="facts">
        <span>{attemptsOf(delivery)}</span>
        <time dateTime={created_at}>{relativeTime(created_at)}</time>
        {next_attempt_at === null ? null : (
          <time dateTime={next_attempt_at}>next attempt {relativeTime(next_attempt_at)}</time>
        )}
        {session_id === null || seq === null ? null : (
          <a href={hashOf({ page: "session", id: session_id, screen: "time", at: seq })}>Event {seq} of its session</a>
        )}
      </span>
      <button disabled={request.isBusy} onClick={redeliver} aria-label={`Redeliver ${type}`}>
        Redeliver
      </button>
      <ErrorText error={request.error} />
    </li>
  )
}
