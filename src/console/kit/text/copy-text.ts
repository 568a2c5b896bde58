// Copies a text to the clipboard, also on pages from another machine over plain HTTP, where `navigator.clipboard` is missing.

/** Throws when the browser does not allow it. */
export const copyText = async (text: string): Promise<void> => {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard } // missing there
  if (clipboard !== undefined) return clipboard.writeText(text)
  const before = document.activeElement
  const area = document.createElement("textarea")
  area.className = "visually-hidden"
  area.value = text
  // An open dialog makes everything outside of it inert.
  const place = before?.closest("dialog") ?? document.body
  place.append(area)
  area.select()
  const isCopied = document.execCommand("copy")
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isCopied) throw new Error("The browser did not allow to copy.")
}
