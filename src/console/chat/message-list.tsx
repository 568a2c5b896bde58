// The messages of the conversation, the newest at the bottom: follows new ones, loads older ones, and supports keys.
import { useComputed, useSignal } from "@preact/signals"
import { useCallback, useEffect, useRef } from "preact/hooks"
import { count } from "../kit/format.ts"
import { type ListHandle, type ListPosition, VirtualList } from "../kit/list/virtual-list.tsx"
import { useChat } from "./chat-view.ts"
import type { ChatSource } from "./chat-source.ts"
import { isNote } from "./message-facts.ts"
import { MessageRow } from "./message-row.tsx"
import { useMessageKeys } from "./message-keys.ts"

/** The previous page is loaded when fewer rows than this are above the visible ones. */
const NEAR = 8

interface MessageListProps {
  /** The text that is shown if there is no message. */
  readonly none: string
}

export const MessageList = ({ none }: MessageListProps) => {
  const chat = useChat()
  const { store } = chat
  const keys = useComputed(() => chat.threads.value.main).value
  const isAtEnd = useSignal(true)
  const first = useSignal<number | null>(null)
  /** The newest message at the time when the end was last visible. */
  const seen = useSignal<string | null>(null)
  const handle = useRef<ListHandle | null>(null)
  const { kept, onKeyDown, onFocusIn } = useMessageKeys(keys, handle)
  const onPosition = useCallback(
    (position: ListPosition) => {
      isAtEnd.value = position.isAtEnd
      store.isAtEnd = position.isAtEnd
      first.value = position.first
      if (position.isAtEnd) seen.value = keys.at(-1) ?? null
    },
    [keys],
  )
  useOlder(first.value, keys.length)
  const { isFollowing, toNewest } = useNewer(isAtEnd.value, keys, handle)
  if (keys.length === 0 && store.isLoading.value) return <LoadingMessages />
  return (
    <div class="message-area">
      {store.olderCursor.value !== null && store.isLoading.value && keys.length > 0 ? (
        <p class="older" role="status">
          Loading older messages…
        </p>
      ) : null}
      <VirtualList
        class="messages"
        label="Messages"
        isFollowing={isFollowing}
        keys={keys}
        row={(id, index) => <MessageRow id={id} hasHead={hasHead(store, keys, index)} />}
        estimate={(id) => estimatedHeight(store, id)}
        isBusy={store.isLoading.value}
        kept={kept}
        handle={handle}
        onPosition={onPosition}
        onKeyDown={onKeyDown}
        onFocusIn={onFocusIn}
      />
      {keys.length === 0 && store.error.value === null ? <p class="none">{none}</p> : null}
      {(isAtEnd.value && isFollowing) || keys.length === 0 ? null : (
        <button
          type="button"
          class="to-end"
          onClick={toNewest}
          // Under a mouse that has clicked it before, the button appears again: the wheel still scrolls the list.
          onWheel={(event) => {
            // With Ctrl, the wheel zooms the page.
            if (event.ctrlKey) return
            event.preventDefault()
            handle.current?.scrollBy(event.deltaY)
          }}
        >
          {newText(keys, seen.value)} ↓
        </button>
      )}
    </div>
  )
}

/** False for an answer that continues the one above, and for messages that no person wrote. */
const hasHead = ({ conversation }: ChatSource, keys: ReadonlyArray<string>, index: number): boolean => {
  const message = conversation.message(keys[index] ?? "")
  if (message?.info.peek().role === "user")
    return !isNote(message.parts.value.map((id) => conversation.part(id)?.peek()))
  return conversation.message(keys[index - 1] ?? "")?.info.peek().role !== "assistant"
}

/** The height of a row in pixels before it is measured. */
const estimatedHeight = ({ conversation }: ChatSource, id: string): number => {
  const parts = conversation.message(id)?.parts.peek().length ?? 1
  return 40 + parts * 40
}

export const LoadingMessages = () => (
  <p class="message-area loading" role="status">
    Loading messages…
  </p>
)

const newText = (keys: ReadonlyArray<string>, seen: string | null): string => {
  const fresh = seen === null ? 0 : keys.length - 1 - keys.lastIndexOf(seen)
  if (fresh <= 0) return "Latest"
  return fresh === 1 ? "1 new message" : `${count(fresh)} new messages`
}

/** Loads the previous page when the visible rows come near the top. After an error it waits until the user has retried. */
const useOlder = (first: number | null, length: number) => {
  const { store } = useChat()
  const isLoading = store.isLoading.value
  const hasOlder = store.olderCursor.value !== null
  const hasFailed = store.error.value !== null
  useEffect(() => {
    if (hasOlder && !isLoading && !hasFailed && length > 0 && first !== null && first < NEAR) void store.loadOlder()
  }, [store, first, length, isLoading, hasOlder, hasFailed])
}

/** Loads the next page when the last loaded message is visible and newer ones are missing. */
const useNewer = (
  isAtEnd: boolean,
  keys: ReadonlyArray<string>,
  handle: { readonly current: ListHandle | null },
): { readonly isFollowing: boolean; readonly toNewest: () => void } => {
  const { store } = useChat()
  const isLoading = store.isLoading.value
  const isWhole = (store.newerCursor?.value ?? null) === null
  const hasFailed = store.error.value !== null
  /** As rendered before: the rows of the last page are below what the reader sees. */
  const wasWhole = useRef(true)
  const isToEnd = useRef(false)
  useEffect(() => {
    if (!isWhole && isAtEnd && !isLoading && !hasFailed) void store.loadNewer?.()
  }, [store, isAtEnd, keys, isWhole, isLoading, hasFailed])
  useEffect(() => {
    wasWhole.current = isWhole
    if (isWhole && isToEnd.current) handle.current?.toEnd()
    if (isWhole) isToEnd.current = false
  }, [keys, isWhole])
  const toNewest = () => {
    if (isWhole) return handle.current?.toEnd()
    isToEnd.current = true
    void store.loadNewest?.()
  }
  return { isFollowing: isWhole && wasWhole.current, toNewest }
}
