// Receives a list or a table at the end of a growing Markdown text; returns its blocks after text was appended.
// Invariant: all items but the last two and all rows but the last one stay the same objects, and are not parsed again.
import type { MarkedToken, Token, Tokens } from "marked"

/** A block's source and what follows it: as it was when the block was parsed, and as it is now. */
interface Growth {
  readonly before: string
  readonly now: string
}

type Lex = (source: string) => ReadonlyArray<Token>

/** Null if the block has to be parsed as a whole. */
export const continued = (block: Token | undefined, growth: Growth, lex: Lex): ReadonlyArray<Token> | null => {
  // Only extensions of the lexer produce other types of tokens, and it has none.
  const token = block as MarkedToken | undefined
  if (token?.type === "list") return continuedList(token, growth, lex)
  if (token?.type === "table") return continuedTable(token, growth, lex)
  return null
}

const continuedList = (list: Tokens.List, { before, now }: Growth, lex: Lex): ReadonlyArray<Token> | null => {
  // An item whose first line is incomplete may become a line of the item before it: "2." may become "2.5".
  const isItem = before.includes("\n", lengthOf(list.items.slice(0, -1)))
  const kept = list.items.slice(0, isItem ? -1 : -2)
  const marker = /\S+/.exec(kept[0]?.raw ?? "")?.[0]
  if (marker === undefined || (list.loose && !kept.some(isSpaced))) return null
  // The items that follow are as loose as the list. An item of a greater indent can't contain them.
  const prefix = list.loose ? `${marker}    x\n\n` : ""
  const length = lengthOf(kept)
  const [rest, ...others] = lex(prefix + now.slice(length)) as ReadonlyArray<MarkedToken> // as above
  if (rest?.type !== "list" || rest.loose !== list.loose) return null
  const items = list.loose ? rest.items.slice(1) : rest.items
  if (items.length === 0) return null
  const raw = now.slice(0, length) + rest.raw.slice(prefix.length)
  return [{ ...list, raw, items: [...kept, ...items] }, ...others]
}

/** Whether an item makes its list loose, given that another one follows. */
const isSpaced = ({ raw, tokens }: Tokens.ListItem): boolean =>
  /\n\n[ \t]*$/.test(raw) || tokens.some((token) => token.type === "space" && /\n.*\n/.test(token.raw))

const continuedTable = (table: Tokens.Table, { now }: Growth, lex: Lex): ReadonlyArray<Token> | null => {
  const kept = table.rows.slice(0, -1)
  if (kept.length === 0) return null
  const lines = table.raw.split("\n")
  const prefix = `${lines.slice(0, 2).join("\n")}\n`
  const length = lines.slice(0, 2 + kept.length).join("\n").length + 1
  const [rest, ...others] = lex(prefix + now.slice(length)) as ReadonlyArray<MarkedToken> // as above
  if (rest?.type !== "table") return null
  const raw = now.slice(0, length) + rest.raw.slice(prefix.length)
  return [{ ...table, raw, rows: [...kept, ...rest.rows] }, ...others]
}

export const lengthOf = (tokens: ReadonlyArray<Token>): number => tokens.reduce((sum, { raw }) => sum + raw.length, 0)
