// The page "Tenants": the API keys of every tenant, and the limits of each. The root key sees all; any other key its own tenant.
// Invariant: a secret is shown once, where it was created, and is not stored.
import { useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { ErrorText } from "../kit/error-text.tsx"
import { intoView } from "../kit/into-view.ts"
import { CreateKeyForm } from "./create-key-form.tsx"
import { KeyTable, NewSecret } from "./key-table.tsx"
import { signedIn } from "../app/server.ts"
import { LimitsForm } from "./limits-form.tsx"
import { TenantAdmin } from "./tenant-admin.ts"
import { byTenant } from "./tenant-shapes.ts"

export const Tenants = () => {
  const admin = useMemo(() => new TenantAdmin(signedIn()), [])
  const open = useSignal<string | null>(null)
  useEffect(() => void admin.load(), [admin])
  const tenants = byTenant(admin.keys.value)
  return (
    <section class="tenants">
      <h1>Tenants</h1>
      <p class="soft">
        A tenant has its own sessions, keys and limits. With the server's root key you see all of them; with another key
        its own tenant.
      </p>
      {admin.error.value === null ? null : (
        <p class="error" role="alert" ref={intoView}>
          {admin.error.value} <button onClick={() => void admin.load()}>Reload keys</button>
        </p>
      )}
      <ErrorText unread="The keys" error={admin.readError.value} onRetry={() => admin.load()} />
      <CreateKeyForm admin={admin} />
      <NewSecret admin={admin} />
      {tenants.map(({ tenant, keys }) => (
        <section key={tenant} class="tenant" aria-label={`Tenant ${tenant}`}>
          <h2>{tenant}</h2>
          <KeyTable admin={admin} keys={keys} tenant={tenant} />
          <button
            aria-expanded={open.value === tenant}
            onClick={() => (open.value = open.value === tenant ? null : tenant)}
          >
            Limits of {tenant}
          </button>
          {open.value === tenant ? <LimitsForm admin={admin} tenant={tenant} /> : null}
        </section>
      ))}
      {tenants.length > 0 || admin.readError.value !== null ? null : admin.isBusy.value ? (
        <p class="loading" role="status">
          Loading…
        </p>
      ) : (
        <p class="empty">No key was made yet.</p>
      )}
    </section>
  )
}
