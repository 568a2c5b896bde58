// The limits of a tenant: those in effect, and those that are set for this tenant only.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { ErrorText } from "../kit/error-text.tsx"
import { count } from "../kit/format.ts"
import { useRequest } from "../kit/use-request.ts"
import type { TenantAdmin } from "./tenant-admin.ts"
import { LIMIT_NAMES, limitsOf, type TenantLimits } from "./tenant-shapes.ts"

interface FormProps {
  readonly admin: TenantAdmin
  readonly tenant: string
}

export const LimitsForm = ({ admin, tenant }: FormProps) => {
  const known = useSignal<TenantLimits | null>(null)
  const texts = useSignal<Readonly<Record<string, string>>>({})
  const problem = useSignal<string | null>(null)
  const note = useSignal("")
  const reading = useRequest()
  const saving = useRequest()
  /** Shows the limits, but keeps the texts if they were edited since `sent`. */
  const show = (limits: TenantLimits, sent: Readonly<Record<string, string>>) => {
    known.value = limits
    if (texts.value !== sent) return
    texts.value = Object.fromEntries(Object.entries(limits.own).map(([name, value]) => [name, String(value)]))
  }
  const load = () => reading.run(async () => show(await admin.limits(tenant), texts.value))
  useEffect(load, [tenant])

  const save = (event: Event) => {
    event.preventDefault()
    const { value: sent } = texts
    const read = limitsOf(sent)
    problem.value = "problem" in read ? read.problem : null
    note.value = ""
    if ("problem" in read) return document.getElementById(`limit-${read.name}`)?.focus()
    saving.run(async () => {
      show(await admin.setLimits(tenant, read.limits), sent)
      note.value = "Saved. It takes effect within a minute."
    })
  }
  const error = problem.value ?? saving.error ?? reading.error
  const { value } = known
  return (
    <form class="limits" onSubmit={save}>
      {value === null && error === null ? <p role="status">Loading…</p> : null}
      {value === null ? null : (
        <div class="new-fields">
          {Object.entries(value.limits).map(([name, limit]) => (
            <div key={name} class="form-field">
              <label for={`limit-${name}`}>{LIMIT_NAMES[name] ?? name}</label>
              <input
                id={`limit-${name}`}
                inputMode="numeric"
                placeholder={`${count(limit)} (the deployment's)`}
                value={texts.value[name] ?? ""}
                onInput={(event) => (texts.value = { ...texts.value, [name]: event.currentTarget.value })}
              />
            </div>
          ))}
        </div>
      )}
      <ErrorText error={error} onRetry={value === null ? load : undefined} />
      <p class="ask-actions">
        <button class="primary" type="submit" disabled={value === null || saving.isBusy}>
          {saving.isBusy ? "Saving…" : "Save limits"}
        </button>
        <span role="status">{note.value}</span>
      </p>
    </form>
  )
}
