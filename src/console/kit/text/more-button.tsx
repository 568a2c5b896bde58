// A button below content that is cut: shows more of it. The element before the button must be able to take the focus.
// Invariant: when the button disappears because everything is shown, its focus goes to the content.
import type { ComponentChildren } from "preact"

interface MoreButtonProps {
  readonly onMore: () => void
  readonly children: ComponentChildren
}

export const MoreButton = ({ onMore, children }: MoreButtonProps) => {
  const show = ({ currentTarget: button }: { readonly currentTarget: HTMLButtonElement }) => {
    const content = button.previousElementSibling
    const hadFocus = document.activeElement === button
    onMore()
    // In a task of its own, after the content was rendered.
    setTimeout(() => {
      const isLost = hadFocus && !button.isConnected && document.activeElement === document.body
      if (isLost && content instanceof HTMLElement) content.focus({ preventScroll: true })
    })
  }
  return (
    <button type="button" class="quiet" onClick={show}>
      {children}
    </button>
  )
}
