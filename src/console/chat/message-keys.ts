// Keys of the message list: j and k move to the next and the previous message, Enter opens or closes its folds.
import { useCallback, useState } from "preact/hooks"
import type { ListHandle } from "../kit/list/virtual-list.tsx"

/** False in fields and on buttons, where keys keep their usual meaning. */
const isOwn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("button, a, input, textarea, select, [contenteditable]") === null

const messageOf = (target: EventTarget | null): string | undefined =>
  target instanceof HTMLElement
    ? target.closest<HTMLElement>(".virtual-row > [data-message]")?.dataset["message"]
    : undefined

export const useMessageKeys = (keys: ReadonlyArray<string>, handle: { readonly current: ListHandle | null }) => {
  const [active, setActive] = useState<string | null>(null)
  const kept = active === null ? null : keys.indexOf(active)
  const onFocusIn = useCallback((event: FocusEvent) => setActive(messageOf(event.target) ?? null), [])
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !isOwn(event.target)) return
      const id = messageOf(event.target)
      const from = id === undefined ? keys.length : keys.indexOf(id)
      const to = targetOf(event.key, from, keys.length)
      if (to !== null) {
        event.preventDefault()
        handle.current?.toRow(to, (row) => row.querySelector<HTMLElement>("[data-message]")?.focus())
      } else if (event.key === "Enter" && event.target instanceof HTMLElement && id !== undefined) {
        event.preventDefault()
        toggle(event.target)
      }
    },
    [keys, handle],
  )
  return { kept: kept === -1 ? null : kept, onKeyDown, onFocusIn }
}

/** The row to which a key moves; null for all other keys. */
const targetOf = (key: string, from: number, length: number): number | null => {
  if (length === 0) return null
  if (key === "j") return Math.min(from + 1, length - 1)
  if (key === "k") return Math.max(from - 1, 0)
  return null
}

/** Opens all folds of the message if any is closed, otherwise closes them. */
const toggle = (element: HTMLElement) => {
  const message = element.closest("[data-message]")
  const heads = [...(message?.querySelectorAll<HTMLButtonElement>(".fold-head") ?? [])]
  const closed = heads.filter((head) => head.getAttribute("aria-expanded") === "false")
  for (const head of closed.length > 0 ? closed : heads) head.click()
}
