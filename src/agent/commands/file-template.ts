// Receives the text of a command file and the arguments of a call; returns the prompt, before its scripts run.
// Invariant: arguments are inserted verbatim. Unlike in the official SDK, `$1` is the first argument; `$ARGUMENTS[0]` is, as there.
import { anyOf, splitScripts, wordsOf } from "./file-text.ts"
import { argumentsOf, type FilledTemplate, Room, type TooLong } from "./template.ts"

const placeholderOf = (names: ReadonlyArray<string>): RegExp =>
  new RegExp(
    String.raw`\\\$(?=\d|ARGUMENTS|(?:${anyOf(names)})(?!\w))|\$ARGUMENTS\[(\d{1,3})\]|\$(\d+|ARGUMENTS)|\$(${anyOf(names)})(?!\w)`,
    "g",
  )

/**
 * As the official SDK: a number without its argument stays as written, and arguments that no placeholder uses are appended.
 * `names` are the names of the arguments, by position.
 */
export const fillCommandFile = (body: string, names: ReadonlyArray<string>, args: string): FilledTemplate | TooLong => {
  const values = argumentsOf(args)
  const words = wordsOf(args)
  const placeholder = placeholderOf(names)
  const room = new Room()
  const valueOf = (index?: string, key?: string, name?: string): string | undefined => {
    if (name !== undefined) return words[names.indexOf(name)] ?? ""
    if (index !== undefined) return words[Number(index)]
    return key === "ARGUMENTS" ? args : values[Number(key) - 1]
  }
  let placed = false
  const fill = (text: string) =>
    text.replace(placeholder, (whole, index?: string, key?: string, name?: string) => {
      // An escaped placeholder stays as text, without its backslash.
      if (whole.startsWith("\\")) return whole.slice(1)
      const value = valueOf(index, key, name)
      if (value === undefined) return whole
      placed = true
      return room.take(value)
    })
  const { texts, scripts } = splitScripts(body)
  const filled = { texts: texts.map(fill), scripts: scripts.map(fill) }
  if (args === "" || placed) return room.outcome(filled)
  const last = filled.texts.at(-1)?.trimEnd() ?? ""
  return room.outcome({ ...filled, texts: filled.texts.with(-1, `${last}\n\nARGUMENTS: ${room.take(args)}`) })
}
