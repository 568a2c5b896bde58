// The actions of a message's menu that concern time: a fork that continues after the message, and a revert to before it.
import type { SessionStore } from "../store/session-store.ts"
import { ForkDialog } from "./revert/fork-dialog.tsx"
import { removalSummary } from "./revert/places.ts"
import { RevertDialog, type RevertFacts } from "./revert/revert-dialog.tsx"
import { messagesFrom, rewindFacts, uuidOfMessage } from "./revert/session-places.ts"

export interface MessageActionProps {
  readonly store: SessionStore
  /** The message's id in the conversation (`msg_…`). */
  readonly messageId: string
  readonly onClose: () => void
}

/** Forks a new session with everything up to the end of the message. */
export const ForkFromHere = ({ store, messageId, onClose }: MessageActionProps) => (
  <ForkDialog
    store={store}
    here="the end of this message"
    findUuid={() => uuidOfMessage(store, messageId)}
    onClose={onClose}
  />
)

/** Reverts the conversation to before the message: removes it and everything after it. */
export const RevertToHere = ({ store, messageId, onClose }: MessageActionProps) => {
  const readFacts = async (): Promise<RevertFacts> => {
    const { messages, next_cursor } = await messagesFrom(store, messageId)
    const info = messages[0]?.info
    const uuid = info?.role === "user" ? info.sdk?.uuid : undefined
    const report = uuid === undefined ? null : await rewindFacts(store, uuid)
    return {
      target: { messageID: messageId },
      hasRest: false,
      leaving: removalSummary(messages),
      hasMore: next_cursor !== null,
      files: report?.canRewind === true ? (report.filesChanged ?? []) : null,
    }
  }
  return <RevertDialog store={store} readFacts={readFacts} onClose={onClose} />
}
