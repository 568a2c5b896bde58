// The limits of a tenant: those in effect, and those that are set for this tenant only.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { count } from "../kit/format.ts"
import { messageOf } from "./server.ts"
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
  const error = useSignal<string | null>(null)
  const note = useSignal("")
  const show = (limits: TenantLimits) => {
    known.value = limits
    texts.value = Object.fromEntries(Object.entries(limits.own).map(([name, value]) => [name, String(value)]))
  }
  const attempt = async (work: () => Promise<TenantLimits>): Promise<boolean> => {
    error.value = null
    note.value = ""
    try {
      show(await work())
      return true
    } catch (cause) {
      error.value = messageOf(cause)
      return false
    }
  }
  useEffect(() => void attempt(() => admin.limits(tenant)), [tenant])

  const save = async (event: Event) => {
    event.preventDefault()
    const read = limitsOf(texts.value)
    if ("problem" in read) {
      error.value = read.problem
      return
    }
    if (await attempt(() => admin.setLimits(tenant, read.limits))) note.value = "Saved. It holds within a minute."
  }
  const { value } = known
  return (
    <form class="limits" onSubmit={save}>
      {value === null && error.value === null ? <p role="status">Loading…</p> : null}
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
      {error.value === null ? null : (
        <p class="error" role="alert">
          {error.value}
        </p>
      )}
      <p class="ask-actions">
        <button class="primary" type="submit" disabled={value === null}>
          Save limits
        </button>
        <span role="status">{note.value}</span>
      </p>
    </form>
  )
}
