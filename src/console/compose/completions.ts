// Completion in a prompt: finds the word at the caret and the suggestions that match it, and inserts one of them.
// Invariant: a command is completed only at the very start of a prompt, as the server parses it; a mention at the start or after
// white space.

export interface Token {
  readonly kind: "command" | "mention"
  /** The index of the `/` or `@`. */
  readonly from: number
  readonly to: number
  /** The text after it. */
  readonly query: string
}

export interface Suggestion {
  /** The text to insert, with its `/` or `@`. */
  readonly insert: string
  readonly detail: string
  /** A hint about its arguments; empty if it has none. */
  readonly hint: string
}

const MOST = 10

/** The word at the caret that can be completed; null when there is none. */
export const tokenAt = (text: string, caret: number): Token | null => {
  const before = text.slice(0, caret)
  const command = /^\/([\w.:-]*)$/.exec(before)
  if (command !== null) return { kind: "command", from: 0, to: caret, query: command[1] ?? "" }
  const mention = /(?:^|\s)(@(?:"([^"\n]*)|([^\s@"]*)))$/.exec(before)
  if (mention === null) return null
  const [, written = "", quoted, plain = ""] = mention
  return { kind: "mention", from: caret - written.length, to: caret, query: quoted ?? plain }
}

/** Matches paths that need quotes, because the server does not read spaces and punctuation at the end as part of a path. */
const NEEDS_QUOTES = /[\s`]|[.,;:!?)\]}'>]$/

/** A path in the form of a mention. A folder has no closing quote, so that typing can continue. */
export const mentionOf = (path: string): string => {
  if (!NEEDS_QUOTES.test(path) || path.includes('"')) return `@${path}`
  return path.endsWith("/") ? `@"${path}` : `@"${path}"`
}

/** The rank of a suggestion, 0 is best; null if it does not match. */
const rankOf = (insert: string, query: string): number | null => {
  const name = insert.slice(1).toLowerCase()
  if (name.startsWith(query)) return 0
  const last = name.slice(name.lastIndexOf("/") + 1)
  if (last.startsWith(query)) return 1
  return name.includes(query) ? 2 : null
}

/** The matching items: first those that start with the query; the order within a group is kept. */
export const matching = (items: ReadonlyArray<Suggestion>, query: string): ReadonlyArray<Suggestion> => {
  const wanted = query.toLowerCase()
  return items
    .flatMap((item) => {
      const rank = rankOf(item.insert, wanted)
      return rank === null ? [] : [{ item, rank }]
    })
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ item }) => item)
}

/** The text with the suggestion inserted, and the new caret. After a folder no space is added, so that typing can continue. */
export const complete = (
  text: string,
  { kind, from, to }: Token,
  { insert }: Suggestion,
): { readonly text: string; readonly caret: number } => {
  const written = kind === "mention" ? mentionOf(insert.slice(1)) : insert
  const isQuoted = text.slice(from, from + 2) === '@"'
  const rest = isQuoted ? text.slice(to).replace(/^"/, "") : text.slice(to)
  const isOpen = insert.endsWith("/")
  const gap = isOpen || rest.startsWith(" ") ? "" : " "
  const caret = from + written.length + (isOpen ? 0 : 1)
  return { text: `${text.slice(0, from)}${written}${gap}${rest}`, caret }
}
