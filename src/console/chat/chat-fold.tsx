// A fold of the conversation: open or closed as the user left it, otherwise in its initial state.
import type { ComponentChildren } from "preact"
import { Fold } from "../kit/fold.tsx"
import { useChat } from "./chat-view.ts"

interface ChatFoldProps {
  /** The id of the part; a part with several folds adds a name. */
  readonly id: string
  readonly isOpenAtFirst?: boolean
  readonly head: ComponentChildren
  readonly children: () => ComponentChildren
  readonly class?: string
}

/** The children are rendered only while the fold is open. */
export const ChatFold = ({ id, isOpenAtFirst = false, head, children, ...props }: ChatFoldProps) => {
  const fold = useChat().fold(id)
  const isOpen = fold.value ?? isOpenAtFirst
  return (
    <Fold isOpen={isOpen} onToggle={() => (fold.value = !isOpen)} head={head} {...props}>
      {isOpen ? children() : null}
    </Fold>
  )
}
