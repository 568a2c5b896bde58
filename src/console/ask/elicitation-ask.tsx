// A question of an MCP server: a form to fill in, or a page to visit. It can be accepted or declined, or the call be cancelled.
import { useSignal } from "@preact/signals"
import { Fragment } from "preact"
import { useMemo } from "preact/hooks"
import type { AskAnswer } from "../../client/api/session-shapes.ts"
import { intoView } from "../kit/into-view.ts"
import { visibleText } from "../kit/text/visible-text.ts"
import type { AskProps } from "./answering.ts"
import { textOf } from "./ask-model.ts"
import { contentOf, formOf, type FormValues, initialValues } from "./form-schema.ts"
import { FormFieldView } from "./form-field.tsx"

/** The address if it is safe as a link; otherwise null. */
const visitable = (url: unknown): string | null => {
  const text = textOf(url)
  return text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : null
}

export const ElicitationAsk = ({ ask, answering }: AskProps) => {
  const { input, request_id: id } = ask
  const fields = useMemo(() => formOf(input["requested_schema"]), [input])
  const values = answering.typed<FormValues>("values", () => initialValues(fields))
  /** Shown at its field, which gets the focus: the end of a long form may not be visible then. */
  const refused = useSignal<{ readonly field: string; readonly problem: string } | null>(null)
  const isBusy = answering.isBusy.value
  const send = (answer: AskAnswer) => void answering.send(answer)
  const isVisit = input["mode"] === "url"
  const url = visitable(input["url"])
  const accept = (event: Event) => {
    event.preventDefault()
    if (isVisit) return send({ action: "accept" })
    const read = contentOf(fields, values.value)
    answering.error.value = null
    refused.value = "problem" in read ? read : null
    if ("content" in read) return send({ action: "accept", content: read.content })
    document.getElementById(`${id}-${read.field}`)?.focus()
  }
  return (
    <form onSubmit={accept} noValidate>
      <p class="ask-reason">{visibleText(textOf(input["message"]) ?? "")}</p>
      {isVisit ? (
        <p>
          {url === null ? (
            <code>{visibleText(textOf(input["url"]) ?? "")}</code>
          ) : (
            <a href={url} target="_blank" rel="noopener noreferrer">
              {visibleText(url)}
            </a>
          )}
        </p>
      ) : (
        fields.map((field) => (
          <Fragment key={field.name}>
            {refused.value?.field === field.name ? (
              <p ref={intoView} class="error" role="alert">
                {refused.value.problem}
              </p>
            ) : null}
            <FormFieldView
              id={`${id}-${field.name}`}
              field={field}
              value={values.value[field.name] ?? field.initial}
              onChange={(value) => (values.value = { ...values.value, [field.name]: value })}
            />
          </Fragment>
        ))
      )}
      <div class="ask-actions">
        <button class="primary" type="submit" disabled={isBusy}>
          {isVisit ? "I have visited it" : "Send"}
        </button>
        <button type="button" disabled={isBusy} onClick={() => send({ action: "decline" })}>
          Decline
        </button>
        <button type="button" disabled={isBusy} onClick={() => send({ action: "cancel" })}>
          Cancel
        </button>
      </div>
    </form>
  )
}
