// The buttons below a prompt: to send it, and while a turn is running, to interrupt that turn first.
import type { SessionStore } from "../../store/session-store.ts"
import { unsentOf } from "../unsent.ts"
import { useLeaveFocus } from "./leave-focus.ts"
import type { useInterrupt } from "./use-interrupt.ts"
import type { useSend } from "./use-send.ts"

interface SendButtonsProps {
  readonly store: SessionStore
  readonly sending: ReturnType<typeof useSend>
  readonly interrupt: ReturnType<typeof useInterrupt>
}

const StopButton = ({ interrupt: { isSending, send } }: Pick<SendButtonsProps, "interrupt">) => {
  useLeaveFocus()
  return (
    <button type="button" disabled={isSending.value} aria-keyshortcuts="Escape" onClick={() => void send()}>
      {isSending.value ? "Stopping…" : "Stop"}
    </button>
  )
}

export const SendButtons = ({ store, sending, interrupt }: SendButtonsProps) => {
  const { isPreparing } = unsentOf(store.server, store.id)
  const isBusy = store.state.value !== "idle"
  return (
    <span class="composer-actions">
      {isBusy ? (
        <>
          <StopButton interrupt={interrupt} />
          {sending.isEmpty ? null : (
            <button type="button" disabled={isPreparing.value} onClick={() => void sending.send("interrupt")}>
              Stop and send
            </button>
          )}
        </>
      ) : null}
      <button class="primary" type="submit" disabled={!sending.canSend}>
        {isPreparing.value ? "Uploading…" : isBusy ? "Send next" : "Send"}
      </button>
    </span>
  )
}
