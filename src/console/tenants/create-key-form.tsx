// The form that creates an API key: its tenant, its role, and its expiry.
import { useSignal } from "@preact/signals"
import type { TenantAdmin } from "./tenant-admin.ts"
import { endOfDay, SCOPES } from "./tenant-shapes.ts"

/** What a new key may do unless other scopes are chosen. */
const DEFAULT_SCOPES: ReadonlyArray<string> = SCOPES.filter((scope) => scope !== "admin" && scope !== "bypass")

export const CreateKeyForm = ({ admin }: { readonly admin: TenantAdmin }) => {
  const tenant = useSignal("")
  const label = useSignal("")
  const until = useSignal("")
  const scopes = useSignal<ReadonlyArray<string>>(DEFAULT_SCOPES)
  const submit = async (event: Event) => {
    event.preventDefault()
    const isCreated = await admin.create({
      tenant: tenant.value.trim(),
      scopes: scopes.value,
      ...(label.value.trim() === "" ? {} : { label: label.value.trim() }),
      ...(until.value === "" ? {} : { expires_at: endOfDay(until.value) }),
    })
    if (isCreated) label.value = ""
  }
  return (
    <details class="create-key">
      <summary>Create an API key</summary>
      <form onSubmit={submit}>
        <div class="new-fields">
          <div class="form-field">
            <label for="key-tenant">Tenant</label>
            <input
              id="key-tenant"
              required
              placeholder="acme"
              value={tenant.value}
              onInput={(event) => (tenant.value = event.currentTarget.value)}
            />
          </div>
          <div class="form-field">
            <label for="key-label">Label</label>
            <input
              id="key-label"
              maxLength={200}
              placeholder="production"
              value={label.value}
              onInput={(event) => (label.value = event.currentTarget.value)}
            />
          </div>
          <div class="form-field">
            <label for="key-until">Works until (empty: until it is revoked)</label>
            <input
              id="key-until"
              type="date"
              max="9999-12-31"
              value={until.value}
              onInput={(event) => (until.value = event.currentTarget.value)}
            />
          </div>
        </div>
        <ScopeChoice scopes={scopes.value} onChange={(chosen) => (scopes.value = chosen)} />
        <div class="ask-actions">
          <button class="primary" type="submit" disabled={admin.isBusy.value || scopes.value.length === 0}>
            Create key
          </button>
        </div>
      </form>
    </details>
  )
}

interface ScopeChoiceProps {
  readonly scopes: ReadonlyArray<string>
  readonly onChange: (scopes: ReadonlyArray<string>) => void
}

const ScopeChoice = ({ scopes, onChange }: ScopeChoiceProps) => (
  <fieldset class="ask-question">
    <legend>What it may do</legend>
    <div class="ask-actions">
      {SCOPES.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
          {scope}
        </label>
      ))}
    </div>
  </fieldset>
)
