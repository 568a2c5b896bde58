// What the components of one conversation share: the store, the threads, and what the user has opened or closed.
// Invariant: rows leave the page when they are scrolled away, so whether a fold is open is kept here and not in the row.
import { computed, type Signal, signal } from "@preact/signals"
import { type ComponentType, createContext } from "preact"
import { useContext } from "preact/hooks"
import type { SessionStore } from "../store/session-store.ts"
import { threadTree } from "./thread-tree.ts"

export interface MessageProps {
  readonly id: string
  /** False for an answer that goes on from the message above: its head is for screen readers alone. */
  readonly hasHead: boolean
}

export class ChatView {
  readonly store: SessionStore
  /** Shows a message: a subagent's messages are inside a call, which is inside a message. */
  readonly Message: ComponentType<MessageProps>
  /** Goes back to before a prompt; null while there is no way to. */
  revert: ((messageID: string) => void) | null = null
  readonly threads = computed(() => {
    const { conversation } = this.store
    return threadTree({
      ids: conversation.ids.value,
      parentCallOf: (id) => conversation.message(id)?.info.peek().sdk?.parentToolUseId,
      hasCall: (call) => conversation.hasCall(call),
    })
  })
  readonly #folds = new Map<string, Signal<boolean | undefined>>()

  constructor(store: SessionStore, Message: ComponentType<MessageProps>) {
    this.store = store
    this.Message = Message
  }

  /** Undefined until the user has opened or closed it. */
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
