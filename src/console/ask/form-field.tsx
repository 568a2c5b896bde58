// One field of a form that a JSON Schema describes: a text, a number, yes or no, a choice, or several.
import type { FormField, FormValue } from "./form-schema.ts"

/** The `inputmode` of each format, which selects a phone's keyboard. */
const KEYBOARDS = { text: "text", email: "email", uri: "url", number: "decimal", integer: "numeric" } as const

interface FieldProps {
  readonly id: string
  readonly field: FormField
  readonly value: FormValue
  readonly onChange: (value: FormValue) => void
}

export const FormFieldView = (props: FieldProps) => {
  const { id, field } = props
  const note = field.description === null ? undefined : `${id}-note`
  const title = `${field.title}${field.isRequired ? " (needed)" : ""}`
  if (field.kind === "choices") return <Choices {...props} title={title} note={note} />
  if (field.kind === "yes-no") {
    return (
      <label class="check">
        <input
          id={id}
          type="checkbox"
          checked={props.value === true}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
        {title}
        {field.description === null ? null : <span class="soft"> {field.description}</span>}
      </label>
    )
  }
  return (
    <div class="form-field">
      <label for={id}>{title}</label>
      <Entry {...props} note={note} />
      <Note id={note} field={field} />
    </div>
  )
}

interface Described {
  /** The id of the description; undefined if there is none. */
  readonly note: string | undefined
}

const Note = ({ id, field }: { readonly id: string | undefined; readonly field: FormField }) =>
  id === undefined ? null : (
    <span id={id} class="soft">
      {field.description}
    </span>
  )

const Entry = ({ id, field, value, onChange, note }: FieldProps & Described) => {
  const text = typeof value === "string" ? value : ""
  if (field.kind === "choice") {
    return (
      <select
        id={id}
        value={text}
        aria-describedby={note}
        required={field.isRequired}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">Choose…</option>
        {field.choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.title}
          </option>
        ))}
      </select>
    )
  }
  const given = {
    id,
    value: text,
    "aria-describedby": note,
    required: field.isRequired,
    onInput: (event: InputEvent & { readonly currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  }
  return field.format === "date" ? (
    <input type="date" {...given} />
  ) : (
    <input inputMode={KEYBOARDS[field.format]} {...given} />
  )
}

const Choices = ({ id, field, value, onChange, title, note }: FieldProps & Described & { readonly title: string }) => {
  const chosen = Array.isArray(value) ? value : []
  return (
    <fieldset id={id} class="ask-question" tabIndex={-1} aria-describedby={note}>
      <legend>{title}</legend>
      <Note id={note} field={field} />
      {field.choices.map((choice) => (
        <label key={choice.value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(choice.value)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...chosen, choice.value]
                  : chosen.filter((other) => other !== choice.value),
              )
            }
          />
          {choice.title}
        </label>
      ))}
    </fieldset>
  )
}
