// Receives a growing Markdown text; returns its blocks from marked's lexer.
// Invariant: while a text only grows, all blocks but the last ones stay the same objects, so only those are rendered again; the
// blocks equal those of the text when it is parsed at once.
import { getDefaults, Lexer, type Token, Tokenizer, type Tokens, type TokensList } from "marked"
import { continued, lengthOf } from "./continued-block.ts"

export interface Document {
  /** The text, whose line breaks are all "\n". */
  readonly text: string
  readonly blocks: ReadonlyArray<Token>
  /** Whether the concatenated sources of the blocks equal the text: then a longer text can be parsed from the last block on. */
  readonly isExact: boolean
  /** Number of characters that were parsed a second time because the text had grown. */
  readonly parsedAgain: number
}

/** Begins what may be a link definition, which earlier and later blocks can refer to. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m

/** Matches deeply nested quotes and lists, for which the lexer would read the rest again at each level; not horizontal rules. */
const TOO_DEEP = /^(?![ \t]*([-*])(?:[ \t]*\1)*[ \t]*$)(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){60}/m

/** Match what may begin emphasis: where none ends, the tokenizer reads the rest of its text in vain. */
const OPENS_EMPHASIS = /^[*_]+[^\s*_]/
const OPENS_DELETION = /^~~?[^\s~]/
const ENDS_WORD = /[\p{L}\p{N}]$/u
/** Most characters that are read in vain in a text: they take up to half a second. */
const MAX_IN_VAIN = 5_000_000

/** A tokenizer that stops looking for emphasis in a text where this would block the page: the rest of it has its delimiters. */
class BoundedTokenizer extends Tokenizer {
  #inVain = 0

  override emStrong(rest: string, masked: string, before = ""): Tokens.Em | Tokens.Strong | undefined {
    // Inside a word, an underscore is a part of the word.
    const isOpening = OPENS_EMPHASIS.test(rest) && !(rest.startsWith("_") && ENDS_WORD.test(before))
    return this.#bounded(isOpening ? rest.length : 0, () => super.emStrong(rest, masked, before))
  }

  override del(rest: string, masked: string, before = ""): Tokens.Del | undefined {
    return this.#bounded(OPENS_DELETION.test(rest) ? rest.length : 0, () => super.del(rest, masked, before))
  }

  #bounded<A>(length: number, read: () => A | undefined): A | undefined {
    if (length > 0 && this.#inVain > MAX_IN_VAIN) return undefined
    const found = read()
    if (found === undefined) this.#inVain += length
    return found
  }
}

const asItIs = (text: string): ReadonlyArray<Token> => [{ type: "html", raw: text, text, pre: false, block: true }]

type Links = TokensList["links"]

/**
 * A string of its own. The sources of tokens are slices, and a slice keeps the string that it was cut from in memory: blocks of a
 * text that grows in a thousand updates would keep a thousand versions of it.
 */
const copyOf = (slice: string): string => ` ${slice}`.slice(1)

const lex = (source: string, links: Links = {}): ReadonlyArray<Token> => {
  const text = copyOf(source)
  if (TOO_DEEP.test(text)) return asItIs(text)
  try {
    const lexer = new Lexer({ ...getDefaults(), tokenizer: new BoundedTokenizer() })
    Object.assign(lexer.tokens.links, links)
    return [...lexer.lex(text)]
  } catch {
    // A text that exceeds the stack is shown unformatted.
    return asItIs(text)
  }
}

const documentOf = (text: string, blocks: ReadonlyArray<Token>, parsedAgain = 0): Document => ({
  text,
  blocks,
  isExact: lengthOf(blocks) === text.length,
  parsedAgain,
})

/**
 * The block from which a longer text has to be parsed: the last one whose beginning is definite. A beginning is not while its
 * line may still become a part of the block before: "#" may become "#12", "2" a further item, "-" an underline.
 */
const lastDefinite = ({ text, blocks }: Document): number => {
  let start = text.length
  for (const [index, { raw, type }] of [...blocks.entries()].reverse()) {
    start -= raw.length
    if (type === "space") continue
    const before = blocks.slice(0, index).findLast((block) => block.type !== "space")
    const isSeparate = text.endsWith("\n\n", start) && before?.type !== "list"
    if (isSeparate || /\n.*\n/.test(text.slice(start))) return index
  }
  return 0
}

/** The text with "\n" for each line break, whichever it was. */
export const withNewlines = (text: string): string => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text)

/** Parses a text. `previous` is the result for an earlier, shorter version of it. */
export const readDocument = (source: string, previous: Document | null = null): Document => {
  const text = withNewlines(source)
  if (previous === null) return documentOf(text, lex(text))
  if (previous.text === text) return previous
  if (!previous.isExact || !text.startsWith(previous.text)) return documentOf(text, lex(text), previous.text.length)
  const open = lastDefinite(previous)
  const kept = previous.blocks.slice(0, open)
  const offset = lengthOf(kept)
  const growth = { before: previous.text.slice(offset), now: text.slice(offset) }
  let parsed = 0
  const read = (part: string) => {
    parsed += part.length
    return lex(part)
  }
  const rest = continued(previous.blocks[open], growth, read) ?? read(growth.now)
  return documentOf(text, [...kept, ...rest], parsed - (text.length - previous.text.length))
}

/** Call it when the text is complete: resolves the links of its beginning, with the definitions in the whole text. */
export const completeDocument = (document: Document, source: string): Document => {
  if (!DEFINITION.test(source)) return document
  const links = definitionsOf(withNewlines(source))
  return documentOf(document.text, lex(document.text, links))
}

const definitionsOf = (text: string): Links => {
  if (TOO_DEEP.test(text)) return {}
  const lexer = new Lexer()
  try {
    lexer.blockTokens(text, lexer.tokens)
  } catch {
    // What was read before the text exceeded the stack.
  }
  return lexer.tokens.links
}
