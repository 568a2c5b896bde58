// Receives a page's HTML; returns its text as Markdown.
// Invariant: never fails, and its time is proportional to the length of the page.
import TurndownService from "turndown"
import { type HtmlNode, htmlTree } from "./html-tree.ts"

/** The nodes that turndown passes to a rule are those of the tree that it received. */
const ours = (node: unknown): HtmlNode => node as HtmlNode

const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  .addRule("listItem", {
    filter: "li",
    replacement: (content, node) => {
      const prefix = ours(node).parentNode?.nodeName === "OL" ? "1. " : "- "
      const indented = content.trim().replace(/\n/gm, `\n${" ".repeat(prefix.length)}`)
      return `${prefix}${indented}${ours(node).nextSibling === null ? "" : "\n"}`
    },
  })
  .addRule("tableCell", {
    filter: ["td", "th"],
    replacement: (content) => ` ${content.trim().replace(/\s*\n\s*/g, " ")} |`,
  })
  .addRule("tableRow", { filter: "tr", replacement: (content) => `\n|${content}` })

export const htmlToMarkdown = (html: string): string => {
  const { title, root } = htmlTree(html)
  // turndown accepts any node with the members that it uses, although its types require a DOM's.
  const text = service.turndown(root as unknown as Parameters<TurndownService["turndown"]>[0])
  return title === "" ? text : `Title: ${title}\n\n${text}`
}
