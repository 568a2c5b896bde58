// The limits of the tenant, for keys that may read them: a bar for each limit whose usage is known, and a table of all limits.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { PermissionDeniedError } from "../../client/api/perch-error.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { LIMIT_NAMES } from "../tenants/tenant-shapes.ts"
import { ErrorText } from "../kit/error-text.tsx"
import { count } from "../kit/format.ts"
import { BudgetBar } from "./budget-bar.tsx"
import { type TenantLimitsAnswer, type Use, usesOf } from "./tenant-use.ts"

const USES: Readonly<Record<string, string>> = { ...LIMIT_NAMES, requests: "Requests of this key, this minute" }

interface Loaded extends TenantLimitsAnswer {
  readonly uses: ReadonlyArray<Use>
}

/** Each change of `tries` reads the limits again. */
export const TenantLimits = ({ tries }: { readonly tries: number }) => {
  const loaded = useSignal<Loaded | null>(null)
  const error = useSignal<string | null>(null)
  const isRefused = useSignal(false)
  const attempt = useSignal(0)
  const again = attempt.value
  useEffect(() => {
    const stop = new AbortController()
    const { transport, tenant } = signedIn()
    const read = async () => {
      error.value = null
      const path = `/v1/admin/tenants/${encodeURIComponent(tenant)}/limits`
      const { body, headers } = await transport.answer<TenantLimitsAnswer>("GET", path, { signal: stop.signal })
      loaded.value = { ...body, uses: usesOf(body, headers) }
      isRefused.value = false
    }
    read().catch((cause: unknown) => {
      if (stop.signal.aborted) return
      isRefused.value = cause instanceof PermissionDeniedError
      if (!isRefused.value) error.value = messageOf(cause)
    })
    return () => stop.abort()
  }, [tries, again])
  const failure = (
    <ErrorText unread="The limits of the tenant" error={error.value} onRetry={() => (attempt.value += 1)} />
  )
  if (isRefused.value) return <p class="empty">The limits of the tenant are for keys with the scope admin.</p>
  if (loaded.value === null) return failure
  const { limits, own, uses } = loaded.value
  return (
    <section class="limits-used" aria-label="Limits of the tenant">
      <h2>Limits of the tenant</h2>
      {failure}
      {uses.map(({ name, used, limit }) => (
        <BudgetBar key={name} name={USES[name] ?? name} used={used} limit={limit} format={count} />
      ))}
      <details>
        <summary>All limits</summary>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col">At most</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(limits).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">
                  {LIMIT_NAMES[name] ?? name} {name in own ? <span class="badge">own</span> : null}
                </th>
                <td>{count(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
