// Receives marked's tokens inside a block; renders them.
// Invariant: every text is a text node; HTML is shown as source; only web and mail addresses become links.
import type { MarkedToken, Token } from "marked"
import type { ComponentChildren } from "preact"
import { resolveEntities } from "./entities.ts"
import { safeLink } from "./safe-link.ts"

/** Emphasis that is nested more deeply is shown as source. */
const MAX_DEPTH = 40

export const inline = (tokens: ReadonlyArray<Token> | undefined, depth = 0): ComponentChildren =>
  tokens?.map((token) => inlineToken(token, depth + 1))

const inlineToken = (given: Token, depth: number): ComponentChildren => {
  if (depth > MAX_DEPTH) return given.raw
  // Only extensions of the lexer produce other types of tokens, and it has none.
  const token = given as MarkedToken
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, depth)}</strong>
    case "em":
      return <em>{inline(token.tokens, depth)}</em>
    case "del":
      return <del>{inline(token.tokens, depth)}</del>
    case "codespan":
      return <code>{token.text}</code>
    case "br":
      return <br />
    case "escape":
      return token.text
    case "link":
      return <Link href={token.href}>{inline(token.tokens, depth)}</Link>
    case "image":
      return <Link href={token.href}>{`Image: ${token.text === "" ? token.href : token.text}`}</Link>
    case "checkbox":
      return <Checkbox isChecked={token.checked} />
    case "text":
      return token.tokens === undefined ? resolveEntities(token.text) : inline(token.tokens, depth)
    default:
      return token.raw
  }
}

const Link = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) => {
  const safe = safeLink(href)
  if (safe === null) return <span title={href}>{children}</span>
  return (
    <a href={safe} rel="noopener noreferrer" target="_blank">
      {children}
    </a>
  )
}

export const Checkbox = ({ isChecked }: { readonly isChecked: boolean }) => (
  <span class="checkbox" role="img" aria-label={isChecked ? "done" : "open"}>
    {isChecked ? "☑" : "☐"}{" "}
  </span>
)
