// Selects for a model and a permission mode. The mode `bypassPermissions` must be confirmed first.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { messageOf, signedIn } from "../app/server.ts"
import { Confirm } from "../kit/confirm.tsx"
import { ErrorText } from "../kit/error-text.tsx"
import { BYPASS_WARNING, type Choice, MODES, modelsOf, withCurrent } from "./session-choices.ts"

interface SelectProps {
  readonly value: string | undefined
  readonly disabled?: boolean
  readonly onChange: (value: string) => void
}

/** `none` is the label of an additional first choice, for when no model has to be selected. */
export const ModelSelect = ({ value, disabled, onChange, none }: SelectProps & { readonly none?: string }) => {
  const models = useSignal<ReadonlyArray<Choice>>([])
  const error = useSignal<string | null>(null)
  const read = () => {
    error.value = null
    modelsOf(signedIn()).then(
      (list) => (models.value = list),
      (cause: unknown) => (error.value = messageOf(cause)),
    )
  }
  useEffect(read, [])
  const current = value === "" ? undefined : value
  return (
    <>
      <span class="choice">
        <label for="choice-model">Model</label>{" "}
        <select
          id="choice-model"
          value={value ?? ""}
          disabled={disabled}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {none === undefined ? null : <option value="">{none}</option>}
          {withCurrent(models.value, current).map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.title}
            </option>
          ))}
        </select>
      </span>
      <ErrorText unread="The models" error={error.value} onRetry={read} />
    </>
  )
}

export const ModeSelect = ({ value, disabled, onChange }: SelectProps) => {
  const isConfirming = useSignal(false)
  return (
    <>
      <span class="choice">
        <label for="choice-mode">Mode</label>{" "}
        <select
          id="choice-mode"
          value={value ?? "default"}
          disabled={disabled}
          onChange={(event) => {
            const { currentTarget } = event
            if (currentTarget.value !== "bypassPermissions") return onChange(currentTarget.value)
            currentTarget.value = value ?? "default"
            isConfirming.value = true
          }}
        >
          {withCurrent(MODES, value).map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.title}
            </option>
          ))}
        </select>
      </span>
      {isConfirming.value ? (
        <Confirm
          title="Ask about nothing?"
          action="Ask about nothing"
          onCancel={() => (isConfirming.value = false)}
          onConfirm={() => {
            isConfirming.value = false
            onChange("bypassPermissions")
          }}
        >
          {BYPASS_WARNING}
        </Confirm>
      ) : null}
    </>
  )
}
