// The secrets that sign the calls of HTTP hooks. Each webhook has its own secret, which is not shown here.
import { useEffect, useMemo, useState } from "preact/hooks"
import type { WebhookSecret } from "../../schemas/api/hooks.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { relativeTime } from "../kit/format.ts"
import { LatestAnswer } from "../store/latest-answer.ts"
import { RollDialog } from "./roll-dialog.tsx"
import { SecretShown } from "./secret-shown.tsx"

const PATH = "/v1/webhooks/secret"

export const HookSecrets = () => {
  const [rows, setRows] = useState<ReadonlyArray<WebhookSecret> | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isRolling, setRolling] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const reads = useMemo(() => new LatestAnswer<ReadonlyArray<WebhookSecret>>((data) => setRows(data)), [])
  const read = async () => {
    setError(null)
    try {
      const page = signedIn().transport.json<{ data: ReadonlyArray<WebhookSecret> }>("GET", PATH)
      await reads.of(page.then(({ data }) => data))
    } catch (cause) {
      setError(messageOf(cause))
    }
  }
  useEffect(() => void read(), [])
  return (
    <section class="hook-secrets" aria-label="Secret of HTTP hooks">
      <h2>Secret of HTTP hooks</h2>
      <p class="hint">It signs the calls of the hooks in sessions' options. Each webhook has a secret of its own.</p>
      <ErrorText unread="The secrets" error={error} onRetry={read} />
      {rows?.length === 0 ? <p class="empty">No secret yet: HTTP hooks are not signed.</p> : null}
      <ul>
        {(rows ?? []).map(({ id, created_at, retires_at }) => (
          <li key={id} class="facts">
            <code>{id}</code>
            <time dateTime={created_at}>made {relativeTime(created_at)}</time>
            <span class="badge">
              {retires_at === null ? "current" : `signs until ${new Date(retires_at).toLocaleString("en")}`}
            </span>
          </li>
        ))}
      </ul>
      {secret === null ? null : <SecretShown about="HTTP hooks" secret={secret} onDone={() => setSecret(null)} />}
      <div class="place-actions">
        <button onClick={() => setRolling(true)}>New secret…</button>
      </div>
      {isRolling ? (
        <RollDialog<{ readonly secret: string }>
          title="New secret of HTTP hooks"
          path={PATH}
          onClose={() => setRolling(false)}
          onRolled={(made) => {
            setSecret(made.secret)
            void read()
          }}
        />
      ) : null}
    </section>
  )
}
