// A heading that expands and collapses the content below it.
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface FoldProps {
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly head: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
}

export const Fold = ({ isOpen, onToggle, head, children, ...props }: FoldProps) => {
  const id = useId()
  return (
    <div class={props.class === undefined ? "fold" : `fold ${props.class}`}>
      <button
        type="button"
        class="fold-head"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onToggle}
      >
        <span class="fold-mark" aria-hidden="true">
          {isOpen ? "▾" : "▸"}
        </span>
        {head}
      </button>
      {isOpen ? (
        <div id={id} class="fold-body">
          {children}
        </div>
      ) : null}
    </div>
  )
}
