// Receives a growing Markdown text; returns its blocks from marked's lexer.
// Invariant: while a text only grows, all blocks but the last one stay the same objects, so only the last one is rendered again.
import { getDefaults, Lexer, type Token, Tokenizer, type Tokens } from "marked"

export interface Document {
  /** With "\n" as its only line break. */
  readonly text: string
  readonly blocks: ReadonlyArray<Token>
  /** Whether the concatenated sources of the blocks equal the text: then a longer text can be parsed from the last block on. */
  readonly isExact: boolean
  /** Whether it may contain link definitions, which earlier and later blocks can refer to. */
  readonly hasDefinitions: boolean
}

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

const lex = (text: string): ReadonlyArray<Token> => {
  if (TOO_DEEP.test(text)) return asItIs(text)
  try {
    return [...new Lexer({ ...getDefaults(), tokenizer: new BoundedTokenizer() }).lex(text)]
  } catch {
    // A text that exceeds the stack is shown unformatted.
    return asItIs(text)
  }
}

const whole = (text: string): Document => {
  const blocks = lex(text)
  const length = blocks.reduce((sum, { raw }) => sum + raw.length, 0)
  return { text, blocks, isExact: length === text.length, hasDefinitions: DEFINITION.test(text) }
}

/** Parses a text. `previous` is the result for an earlier, shorter version of it. */
export const readDocument = (source: string, previous: Document | null = null): Document => {
  const text = source.replace(/\r\n?/g, "\n")
  if (previous === null) return whole(text)
  if (previous.text === text) return previous
  if (!previous.isExact || !text.startsWith(previous.text)) return whole(text)
  // Blank lines after a list or a paragraph may become part of it when more text follows.
  const last = previous.blocks.findLastIndex(({ type }) => type !== "space")
  const kept = previous.blocks.slice(0, Math.max(last, 0))
  const offset = kept.reduce((sum, { raw }) => sum + raw.length, 0)
  const rest = whole(text.slice(offset))
  return {
    text,
    blocks: [...kept, ...rest.blocks],
    isExact: rest.isExact,
    hasDefinitions: previous.hasDefinitions || rest.hasDefinitions,
  }
}

/** Call it when the text is complete: resolves link definitions in the whole text. */
export const completeDocument = (document: Document): Document =>
  document.hasDefinitions ? whole(document.text) : document
