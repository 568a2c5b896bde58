// Receives the text of a code block and the name of its language; returns HTML with the classes of highlight.js.
// Invariant: every character of the text is escaped; the only tags are spans with a class.
import { common, createLowlight } from "lowlight"

const lowlight = createLowlight(common)

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

export const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => ESCAPES[character])

const htmlOf = (node) => {
  if (node.type === "text") return escapeHtml(node.value)
  const inner = node.children.map(htmlOf).join("")
  if (node.type === "root") return inner
  return `<span class="${escapeHtml(node.properties.className.join(" "))}">${inner}</span>`
}

/** Returns highlighted HTML; the text of an unknown language is only escaped. */
export const highlight = (text, language) =>
  language !== undefined && lowlight.registered(language)
    ? htmlOf(lowlight.highlight(language, text))
    : escapeHtml(text)
