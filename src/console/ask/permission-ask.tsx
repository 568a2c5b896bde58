// A permission ask: what the call would do, and why it needs permission. It can be allowed once, always, or with a changed input;
// or denied with a reason, optionally with an interrupt of the turn.
import { useEffect, useRef } from "preact/hooks"
import { visibleJson, visibleText } from "../kit/text/visible-text.ts"
import type { Answering, AskProps } from "./answering.ts"
import { parseInput, savedBy } from "./ask-model.ts"
import { InputView } from "./input-view.tsx"

/** The model reads this when a person gives no reason: the API requires a message for a denial. */
const DENIED = "The user rejected this call."

type Panel = "none" | "always" | "edit" | "deny"

export const PermissionAsk = ({ ask, answering }: AskProps) => {
  const panel = answering.typed<Panel>("panel", () => "none")
  const isBusy = answering.isBusy.value
  const shown = useRef<HTMLDivElement>(null)
  // On a low screen the panel is below the visible part of the asks.
  useEffect(() => shown.current?.scrollIntoView({ block: "nearest" }), [panel.value])
  const toggle = (name: Panel) => (panel.value = panel.value === name ? "none" : name)
  return (
    <>
      {ask.decision_reason === undefined ? null : <p class="ask-reason">{visibleText(ask.decision_reason)}</p>}
      {ask.blocked_path === undefined ? null : (
        <p class="ask-reason">
          It reaches <code>{visibleText(ask.blocked_path)}</code>, which no rule allows.
        </p>
      )}
      <InputView tool={ask.tool_name} input={ask.input} />
      <div class="ask-actions">
        <button class="primary" disabled={isBusy} onClick={() => void answering.send({ reply: "once" })}>
          Allow once
        </button>
        {savedBy(ask).length === 0 ? null : (
          <button aria-expanded={panel.value === "always"} disabled={isBusy} onClick={() => toggle("always")}>
            Always…
          </button>
        )}
        <button aria-expanded={panel.value === "edit"} disabled={isBusy} onClick={() => toggle("edit")}>
          Edit input…
        </button>
        <button class="danger" disabled={isBusy} onClick={() => deny(answering, false)}>
          Deny
        </button>
        <button aria-expanded={panel.value === "deny"} disabled={isBusy} onClick={() => toggle("deny")}>
          Deny with a message…
        </button>
      </div>
      {panel.value === "none" ? null : (
        <div key={panel.value} ref={shown} class="ask-panel">
          {panel.value === "always" ? <AlwaysPanel ask={ask} answering={answering} /> : null}
          {panel.value === "edit" ? <EditPanel ask={ask} answering={answering} /> : null}
          {panel.value === "deny" ? <DenyPanel ask={ask} answering={answering} /> : null}
        </div>
      )}
    </>
  )
}

/** The rules that would be saved, and for which sessions. */
const AlwaysPanel = ({ ask, answering }: AskProps) => {
  const isBusy = answering.isBusy.value
  const allow = (scope: "session" | "tenant") => void answering.send({ reply: "always", scope })
  return (
    <>
      <p>This would be saved, and such calls would not be asked about again:</p>
      <ul>
        {savedBy(ask).map((line) => (
          <li key={line}>
            <code>{line}</code>
          </li>
        ))}
      </ul>
      <div class="ask-actions">
        <button class="primary" disabled={isBusy} onClick={() => allow("session")}>
          Always in this session
        </button>
        <button disabled={isBusy} onClick={() => allow("tenant")}>
          Always in every session
        </button>
      </div>
    </>
  )
}

/** The call's input, to be changed before the call is allowed. */
const EditPanel = ({ ask, answering }: AskProps) => {
  const edited = answering.typed("input", () => visibleJson(ask.input))
  const allow = () => {
    const parsed = parseInput(edited.value)
    if ("problem" in parsed) answering.refuse(parsed.problem)
    else void answering.send({ behavior: "allow", updatedInput: parsed.input })
  }
  return (
    <>
      <label for={`edit-${ask.request_id}`}>Input of the call, as JSON</label>
      <textarea
        id={`edit-${ask.request_id}`}
        class="code"
        rows={Math.min(16, edited.value.split("\n").length + 1)}
        spellcheck={false}
        value={edited.value}
        onInput={(event) => (edited.value = event.currentTarget.value)}
      />
      <div class="ask-actions">
        <button class="primary" disabled={answering.isBusy.value} onClick={allow}>
          Allow with this input
        </button>
      </div>
    </>
  )
}

/** The message for the model, and whether the turn ends. */
const DenyPanel = ({ ask, answering }: AskProps) => {
  const message = denialMessage(answering)
  const isBusy = answering.isBusy.value
  return (
    <>
      <label for={`deny-${ask.request_id}`}>What the model reads instead of a result</label>
      <textarea
        id={`deny-${ask.request_id}`}
        rows={2}
        value={message.value}
        onInput={(event) => (message.value = event.currentTarget.value)}
      />
      <div class="ask-actions">
        <button class="danger" disabled={isBusy} onClick={() => deny(answering, false)}>
          Deny and go on
        </button>
        <button class="danger" disabled={isBusy} onClick={() => deny(answering, true)}>
          Deny and stop the turn
        </button>
      </div>
    </>
  )
}

const denialMessage = (answering: Answering) => answering.typed("message", () => "")

const deny = (answering: Answering, interrupt: boolean): void => {
  const message = denialMessage(answering).value.trim() || DENIED
  void answering.send({ behavior: "deny", message, ...(interrupt ? { interrupt } : {}) })
}
