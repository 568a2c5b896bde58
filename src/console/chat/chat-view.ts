// State that the components of one conversation share: the source of its messages, the threads, and the folds that the user has
// opened or closed.
// Invariant: rows are removed from the page when they are scrolled away, so the state of folds is kept here and not in the rows.
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import { type ComponentType, createContext } from "preact"
import { useContext } from "preact/hooks"
import type { ReadLog } from "./agents/agent-feed.ts"
import type { ChatSource } from "./chat-source.ts"
import { isCutOff, isInterruptMark } from "./message-facts.ts"
import { inReadingOrder } from "./reading-order.ts"
import { threadTree } from "./thread-tree.ts"

export interface MessageProps {
  readonly id: string
  /** False for an answer that continues the message above: its head is only for screen readers. */
  readonly hasHead: boolean
}

export type MessageAction = "fork" | "revert"

export interface ChatOptions {
  /** Confirms and executes an action on a message; without it, messages offer no actions. */
  readonly act?: (action: MessageAction, messageId: string) => void
  /** False for a place in the past, where no call is running any more. */
  readonly isLive?: boolean
  /** Ids of queued prompts, which are shown elsewhere; without it, they stay in the conversation with a mark. */
  readonly waiting?: ReadonlySignal<ReadonlyArray<string>>
  /** The session's log, for messages that belong to no turn; without it they are not shown. */
  readonly log?: ReadLog
  /** True for a conversation that belongs to no turn; then those of its subagents belong to none either. */
  readonly isDetached?: boolean
}

export class ChatView {
  readonly store: ChatSource
  /** The component for a message. It is passed here because messages nest: a subagent's messages are inside a call. */
  readonly Message: ComponentType<MessageProps>
  readonly act: ChatOptions["act"]
  readonly isLive: boolean
  readonly waiting: ChatOptions["waiting"]
  readonly log: ChatOptions["log"]
  readonly isDetached: boolean
  readonly threads = computed(() => {
    const { conversation } = this.store
    const waiting = this.waiting?.value ?? []
    const sent = conversation.ids.value
    const ids = waiting.length === 0 ? sent : sent.filter((id) => !waiting.includes(id))
    return threadTree({
      ids: inReadingOrder({
        ids,
        parentOf: (id) => conversation.message(id)?.info.peek().parentID,
        // A prompt that joined another turn has no `tools`.
        hasTurn: (id) => conversation.message(id)?.info.peek()["tools"] !== undefined,
        isInterruptMark: (id) => {
          const { info, parts } = conversation.message(id) ?? {}
          // Queued prompts do not wait for the turn of a subagent.
          if (info?.peek().sdk?.parentToolUseId !== undefined) return false
          return parts?.value.some((part) => isInterruptMark(conversation.part(part)?.peek())) === true
        },
        isUnfinished: (id) => {
          const info = conversation.message(id)?.info.value
          return isCutOff(info) || info?.["finish"] === "tool_use"
        },
        newest: conversation.newestTurn.value,
      }),
      parentCallOf: (id) => conversation.message(id)?.info.peek().sdk?.parentToolUseId,
      hasCall: (call) => conversation.hasCall(call),
    })
  })
  readonly #folds = new Map<string, Signal<boolean | undefined>>()

  constructor(store: ChatSource, Message: ComponentType<MessageProps>, options: ChatOptions = {}) {
    const { act, isLive = true, waiting, log, isDetached = false } = options
    this.store = store
    this.Message = Message
    this.act = act
    this.isLive = isLive
    this.waiting = waiting
    this.log = log
    this.isDetached = isDetached
  }

  /** The state of a fold; undefined until the user has opened or closed it. */
  fold(id: string): Signal<boolean | undefined> {
    const known = this.#folds.get(id)
    if (known !== undefined) return known
    const fold = signal<boolean | undefined>(undefined)
    this.#folds.set(id, fold)
    return fold
  }
}

export const ChatContext = createContext<ChatView | null>(null)

export const useChat = (): ChatView => {
  const view = useContext(ChatContext)
  if (view === null) throw new Error("This component belongs inside a conversation.")
  return view
}
