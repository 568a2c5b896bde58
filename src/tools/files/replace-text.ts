// Receives a text, a piece of it and what takes the piece's place; returns the new text.
// Invariant: a pure function, so that what an edit left behind can be worked out again from its result in the log.

export interface Replacement {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean
}

/** The old and new text in the file's own line ends: the model sees lines without their carriage returns. */
export const inLineEndsOf = (content: string, edit: Replacement): readonly [old: string, next: string] => {
  if (!content.includes("\r\n") || content.includes(edit.old_string)) return [edit.old_string, edit.new_string]
  const windows = (text: string): string => text.replace(/\r?\n/g, "\r\n")
  return [windows(edit.old_string), windows(edit.new_string)]
}

/** The first place is replaced, or with `replace_all` every one. An empty `old_string` means the whole text. */
export const replaceText = (content: string, edit: Replacement): string => {
  if (edit.old_string === "") return edit.new_string
  const [old, next] = inLineEndsOf(content, edit)
  if (edit.replace_all === true) return content.split(old).join(next)
  const first = content.indexOf(old)
  return first === -1 ? content : content.slice(0, first) + next + content.slice(first + old.length)
}
