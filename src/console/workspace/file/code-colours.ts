// The colours of code in the editor, from the page's theme.
import { HighlightStyle } from "@codemirror/language"
import { tags } from "@lezer/highlight"

export const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName, tags.namespace, tags.className, tags.tagName], color: "var(--accent)" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName)], color: "var(--accent)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.url], color: "var(--warn)" },
  { tag: [tags.string, tags.regexp, tags.escape], color: "var(--good)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--text-soft)" },
  { tag: tags.heading, fontWeight: "bold" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "bold" },
  { tag: [tags.link, tags.url], textDecoration: "underline" },
  { tag: tags.invalid, color: "var(--bad)" },
])
