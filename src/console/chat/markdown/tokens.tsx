// Renders highlighted code: each token is a text with the classes of the highlighter.
import type { CodeNode } from "./highlighting.ts"

export const Tokens = ({ nodes }: { readonly nodes: ReadonlyArray<CodeNode> }) => (
  <>{nodes.map((node, index) => (typeof node === "string" ? node : <Token key={index} node={node} />))}</>
)

const Token = ({ node }: { readonly node: Exclude<CodeNode, string> }) => (
  <span class={node.classes}>
    <Tokens nodes={node.children} />
  </span>
)
