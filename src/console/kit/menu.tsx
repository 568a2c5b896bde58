// A button that opens a menu of actions. Arrow keys move through it, Escape closes it, and the focus returns to the button; Tab
// closes it and goes on from the button.
import type { ComponentChildren } from "preact"
import { useSignal } from "@preact/signals"
import { useId, useLayoutEffect, useRef } from "preact/hooks"

export interface MenuAction {
  readonly label: string
  readonly run: () => void
}

interface MenuProps {
  readonly label: string
  /** If true, the button shows the label and the menu opens at its left edge; otherwise the button is "⋯" at the end of a row. */
  readonly isNamed?: boolean
  readonly actions: () => ReadonlyArray<MenuAction>
  /** Content above the actions. */
  readonly head?: () => ComponentChildren
}

const WIDTH = 264
const MARGIN = 8

export const Menu = ({ label, isNamed = false, actions, head }: MenuProps) => {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const isOpen = useSignal(false)
  const open = isOpen.value
  // The panel is in the page only while it is open, because each row of a long list has a menu.
  useLayoutEffect(() => {
    const [opener, element] = [button.current, panel.current]
    if (!open || opener === null || element === null) return
    // Measured only for an open menu: otherwise each added row would force a layout of the page.
    const box = opener.getBoundingClientRect()
    element.showPopover()
    placePanel(element, box, isNamed ? box.left : box.right - WIDTH)
    element.querySelector<HTMLElement>("[role=menuitem]")?.focus()
  }, [open])
  const close = () => {
    isOpen.value = false
    button.current?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        class={isNamed ? undefined : "quiet"}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        onClick={() => (open ? close() : (isOpen.value = true))}
      >
        {isNamed ? (
          <>
            {label} <span aria-hidden="true">▾</span>
          </>
        ) : (
          "⋯"
        )}
      </button>
      {open ? (
        <div
          ref={panel}
          id={id}
          class="menu"
          popover="auto"
          onToggle={(event) => event.newState === "closed" && (isOpen.value = false)}
          onKeyDown={(event) => onKey(event, panel.current)}
        >
          {head?.()}
          <div role="menu" aria-label={label}>
            {actions().map((action) => (
              <button
                key={action.label}
                type="button"
                role="menuitem"
                tabIndex={-1}
                onClick={() => {
                  close()
                  action.run()
                }}
              >
                {action.label}
              </button>
            ))}
          </div>
        </div>
      ) : null}
    </>
  )
}

/** Places the panel within the window, below its button; near the bottom of the window, above it. */
const placePanel = (panel: HTMLElement, button: DOMRect, preferredLeft: number): void => {
  const left = Math.max(MARGIN, Math.min(preferredLeft, innerWidth - WIDTH - MARGIN))
  const top = button.bottom + panel.offsetHeight > innerHeight ? button.top - panel.offsetHeight : button.bottom
  panel.style.left = `${left}px`
  panel.style.top = `${Math.max(MARGIN, top)}px`
}

const onKey = (event: KeyboardEvent, panel: HTMLElement | null) => {
  const items = [...(panel?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])]
  const at = items.findIndex((item) => item === document.activeElement)
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  // The message list must not handle these keys, too.
  event.stopPropagation()
  // The browser returns the focus to the button, and moves it on from there.
  if (event.key === "Tab") panel?.hidePopover()
  if (step === undefined && event.key !== "Home" && event.key !== "End") return
  event.preventDefault()
  const to = event.key === "Home" ? 0 : event.key === "End" ? items.length - 1 : at + (step ?? 0)
  items.at(to % items.length)?.focus()
}
