// A fold of the conversation: open or closed as the user left it, else as it begins.
import type { ComponentChildren } from "preact"
import { Fold } from "../kit/fold.tsx"
import { useChat } from "./chat-view.ts"

interface ChatFoldProps {
  /** Of the part; a part with several folds adds a name. */
  readonly id: string
  readonly isOpenAtFirst?: boolean
  readonly head: ComponentChildren
  readonly children: () => ComponentChildren
  readonly class?: string
}

/** What is inside is rendered while it is open only. */
export const ChatFold = ({ id, isOpenAtFirst = false, head, children, ...props }: ChatFoldProps) => {
  const fold = useChat().fold(id)
  const isOpen = fold.value ?? isOpenAtFirst
  return (
    <Fold isOpen={isOpen} onToggle={() => (fold.value = !isOpen)} head={head} {...props}>
      {isOpen ? children() : null}
    </Fold>
  )
}
