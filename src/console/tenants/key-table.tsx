// The keys of a tenant, with actions to roll and revoke them; and the secret of a key that was just created.
import { useSignal } from "@preact/signals"
import { Confirm } from "../kit/confirm.tsx"
import { CopyButton } from "../kit/copy-button.tsx"
import { relativeTime } from "../kit/format.ts"
import { intoView } from "../kit/into-view.ts"
import { serverNow } from "../store/server-time.ts"
import { keepFocus } from "../app/keep-focus.ts"
import type { TenantAdmin } from "./tenant-admin.ts"
import { type ApiKey, stateOf } from "./tenant-shapes.ts"

interface TableProps {
  readonly admin: TenantAdmin
  readonly tenant: string
  readonly keys: ReadonlyArray<ApiKey>
}

const nameOf = ({ label, id }: ApiKey): string => label ?? id

export const KeyTable = ({ admin, tenant, keys }: TableProps) => {
  const revoking = useSignal<ApiKey | null>(null)
  const isBusy = admin.isBusy.value
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={`Keys of ${tenant}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">State</th>
            <th scope="col">Scopes</th>
            <th scope="col">Last used</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                {key.label ?? "Without a label"} <code>{key.id}</code>
              </th>
              <td>{stateOf(key, serverNow())}</td>
              <td>{key.scopes.join(", ")}</td>
              <td>{key.last_used_at === null ? "never" : relativeTime(key.last_used_at)}</td>
              <td>
                {key.revoked_at !== null ? null : (
                  <span class="ask-actions">
                    <button
                      disabled={isBusy}
                      aria-label={`Roll ${nameOf(key)}`}
                      onClick={() => void admin.roll(key.id)}
                    >
                      Roll
                    </button>
                    <button
                      class="danger"
                      disabled={isBusy}
                      aria-label={`Revoke ${nameOf(key)}`}
                      onClick={() => (revoking.value = key)}
                    >
                      Revoke
                    </button>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {revoking.value === null ? null : (
        <Confirm
          title={`Revoke ${nameOf(revoking.value)}?`}
          action="Revoke"
          onCancel={() => (revoking.value = null)}
          onConfirm={() => {
            const id = revoking.value?.id
            revoking.value = null
            if (id !== undefined) void admin.revoke(id)
          }}
        >
          Requests with this key are refused from now on, and its tickets end. It can't be undone.
        </Confirm>
      )}
    </div>
  )
}

export const NewSecret = ({ admin }: { readonly admin: TenantAdmin }) => {
  const { value: created } = admin.created
  if (created === null) return null
  return (
    <section key={created.key} ref={intoView} class="secret" aria-label="New key" role="status">
      <p>This key is shown once. Copy it now.</p>
      <code>{created.key}</code>
      <p class="ask-actions">
        <CopyButton label="Copy the key" text={created.key} />
        <button
          onClick={() => {
            const restoreFocus = keepFocus()
            admin.created.value = null
            restoreFocus()
          }}
        >
          Done
        </button>
      </p>
    </section>
  )
}
