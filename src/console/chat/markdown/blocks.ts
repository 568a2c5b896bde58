// Receives a Markdown text that grows; returns its blocks as marked's lexer reads them.
// Invariant: while a text only grows, blocks before the last one stay the same objects, so that only the last is rendered again.
import { Lexer, type Token } from "marked"

export interface Document {
  /** With "\n" as its only line break. */
  readonly text: string
  readonly blocks: ReadonlyArray<Token>
  /** Whether the blocks' sources, one after the other, are the text: then a longer one can be read from its last block on. */
  readonly isExact: boolean
  /** Whether it may define links by name, which later blocks and earlier ones use. */
  readonly hasDefinitions: boolean
}

const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m

/** Quotes in quotes: the lexer reads the rest again at each level. */
const TOO_DEEP = /^(?:[ \t]*>){60}/m

const asItIs = (text: string): ReadonlyArray<Token> => [{ type: "html", raw: text, text, pre: false, block: true }]

const lex = (text: string): ReadonlyArray<Token> => {
  if (TOO_DEEP.test(text)) return asItIs(text)
  try {
    return [...Lexer.lex(text)]
  } catch {
    // What exceeds the stack is shown as it is.
    return asItIs(text)
  }
}

const whole = (text: string): Document => {
  const blocks = lex(text)
  const length = blocks.reduce((sum, { raw }) => sum + raw.length, 0)
  return { text, blocks, isExact: length === text.length, hasDefinitions: DEFINITION.test(text) }
}

/** `previous` is what the text's beginning gave. */
export const readDocument = (source: string, previous: Document | null = null): Document => {
  const text = source.replace(/\r\n?/g, "\n")
  if (previous === null) return whole(text)
  if (previous.text === text) return previous
  if (!previous.isExact || !text.startsWith(previous.text)) return whole(text)
  // Blank lines after a list or a paragraph may turn out to be inside it.
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

/** The text is complete: links that are defined by name are resolved throughout. */
export const completeDocument = (document: Document): Document =>
  document.hasDefinitions ? whole(document.text) : document
