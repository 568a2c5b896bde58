// The limits of a tenant: those in effect, and those that are set for this tenant only.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { ErrorText } from "../kit/error-text.tsx"
import { count } from "../kit/format.ts"
import { useRequest } from "../kit/use-request.ts"
import type { TenantAdmin } from "./tenant-admin.ts"
import { limitsOf, type TenantLimits } from "./tenant-shapes.ts"

/** Labels of limits whose field names would be unclear or misspelt if only their underscores became spaces. */
const LABELS: Readonly<Record<string, string>> = {
  lane_turns: "turns in the lane (0: no lane)",
  failed_sign_ins_per_minute: "failed sign-ins per minute",
}

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
    if ("problem" in read) return
    saving.run(async () => {
      show(await admin.setLimits(tenant, read.limits), sent)
      note.value = "Saved. It holds within a minute."
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
              <label for={`limit-${name}`}>{LABELS[name] ?? name.replaceAll("_", " ")}</label>
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
