// A permission ask: what the call would do, and why it needs permission. It can be allowed once, always, or with a changed input;
// or denied with a reason, optionally with an interrupt of the turn.
import { useEffect, useRef } from "preact/hooks"
import type { AskAnswer } from "../../client/api/session-shapes.ts"
import { visibleJson, visibleText } from "../kit/text/visible-text.ts"
import type { AskProps } from "./answering.ts"
import { parseInput, savedBy } from "./ask-model.ts"
import { InputView } from "./input-view.tsx"

/** The model reads this when a person gives no reason: the API requires a message for a denial. */
const DENIED = "The user rejected this call."

type Panel = "none" | "always" | "edit" | "deny"

export const PermissionAsk = ({ ask, answering }: AskProps) => {
  const panel = answering.typed<Panel>("panel", () => "none")
  const message = answering.typed("message", () => "")
  const edited = answering.typed("input", () => visibleJson(ask.input))
  const saved = savedBy(ask)
  const isBusy = answering.isBusy.value
  const shown = useRef<HTMLDivElement>(null)
  // On a low screen the panel is below the visible part of the asks.
  useEffect(() => shown.current?.scrollIntoView({ block: "nearest" }), [panel.value])
  const send = (answer: AskAnswer) => void answering.send(answer)
  const toggle = (name: Panel) => (panel.value = panel.value === name ? "none" : name)
  const deny = (interrupt: boolean) => {
    send({ behavior: "deny", message: message.value.trim() || DENIED, ...(interrupt ? { interrupt } : {}) })
  }
  const allowEdited = () => {
    const parsed = parseInput(edited.value)
    if ("problem" in parsed) answering.refuse(parsed.problem)
    else send({ behavior: "allow", updatedInput: parsed.input })
  }
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
        <button class="primary" disabled={isBusy} onClick={() => send({ reply: "once" })}>
          Allow once
        </button>
        {saved.length === 0 ? null : (
          <button aria-expanded={panel.value === "always"} disabled={isBusy} onClick={() => toggle("always")}>
            Always…
          </button>
        )}
        <button aria-expanded={panel.value === "edit"} disabled={isBusy} onClick={() => toggle("edit")}>
          Edit input…
        </button>
        <button class="danger" disabled={isBusy} onClick={() => deny(false)}>
          Deny
        </button>
        <button aria-expanded={panel.value === "deny"} disabled={isBusy} onClick={() => toggle("deny")}>
          Deny with a message…
        </button>
      </div>
      {panel.value === "always" ? (
        <div ref={shown} class="ask-panel">
          <p>This would be saved, and such calls would not be asked about again:</p>
          <ul>
            {saved.map((line) => (
              <li key={line}>
                <code>{line}</code>
              </li>
            ))}
          </ul>
          <div class="ask-actions">
            <button class="primary" disabled={isBusy} onClick={() => send({ reply: "always", scope: "session" })}>
              Always in this session
            </button>
            <button disabled={isBusy} onClick={() => send({ reply: "always", scope: "tenant" })}>
              Always in every session
            </button>
          </div>
        </div>
      ) : null}
      {panel.value === "edit" ? (
        <div ref={shown} class="ask-panel">
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
            <button class="primary" disabled={isBusy} onClick={allowEdited}>
              Allow with this input
            </button>
          </div>
        </div>
      ) : null}
      {panel.value === "deny" ? (
        <div ref={shown} class="ask-panel">
          <label for={`deny-${ask.request_id}`}>What the model reads instead of a result</label>
          <textarea
            id={`deny-${ask.request_id}`}
            rows={2}
            value={message.value}
            onInput={(event) => (message.value = event.currentTarget.value)}
          />
          <div class="ask-actions">
            <button class="danger" disabled={isBusy} onClick={() => deny(false)}>
              Deny and go on
            </button>
            <button class="danger" disabled={isBusy} onClick={() => deny(true)}>
              Deny and stop the turn
            </button>
          </div>
        </div>
      ) : null}
    </>
  )
}
