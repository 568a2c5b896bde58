// The limits of the tenant, for keys that may read them; how much of them is used where the API has it.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { PermissionDeniedError } from "../../client/api/perch-error.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { count } from "../kit/format.ts"

const NAMES: Readonly<Record<string, string>> = {
  requests_per_minute: "Requests per minute",
  requests_per_minute_per_key: "Requests per minute and key",
  open_sessions: "Sessions",
  running_turns: "Turns at once",
  lane_turns: "Turns at once before others wait (0: no lane)",
  running_workflows: "Workflow runs at once",
  queued_prompts: "Queued prompts of a session",
  sockets_per_session: "WebSockets of a session",
  streams_per_session: "Event streams of a session",
  failed_sign_ins_per_minute: "Bad credentials per minute and address",
}

interface Limits {
  readonly limits: Readonly<Record<string, number>>
  readonly own: Readonly<Record<string, number>>
}

export const TenantLimits = () => {
  const limits = useSignal<Limits | null>(null)
  const note = useSignal<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const { transport, tenant } = signedIn()
    transport
      .json<Limits>("GET", `/v1/admin/tenants/${encodeURIComponent(tenant)}/limits`, { signal: stop.signal })
      .then(
        (found) => (limits.value = found),
        (cause: unknown) => {
          if (stop.signal.aborted) return
          note.value =
            cause instanceof PermissionDeniedError
              ? "The limits of the tenant are for keys with the scope admin."
              : messageOf(cause)
        },
      )
    return () => stop.abort()
  }, [])
  if (limits.value === null) return note.value === null ? null : <p class="empty">{note.value}</p>
  const { limits: all, own } = limits.value
  return (
    <details>
      <summary>Limits of the tenant</summary>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col">At most</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(all).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">
                {NAMES[name] ?? name} {name in own ? <span class="badge">own</span> : null}
              </th>
              <td>{count(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
