// The library's own way to highlight, with the colours of the page's theme in place of its fixed ones.
import { defaultHighlightStyle, HighlightStyle } from "@codemirror/language"

/** Its colours, by what they are for. */
const THEME: Readonly<Record<string, string>> = {
  "#708": "var(--accent)", // keywords
  "#219": "var(--warn)", // atoms, booleans, addresses
  "#164": "var(--warn)", // numbers and other literals
  "#a11": "var(--good)", // strings
  "#e40": "var(--good)", // regular expressions and escapes
  "#00f": "var(--accent)", // definitions
  "#30a": "var(--text)", // local names
  "#085": "var(--accent)", // types and namespaces
  "#167": "var(--accent)", // classes
  "#256": "var(--text)", // special names
  "#00c": "var(--text)", // property definitions
  "#940": "var(--text-soft)", // comments
  "#404740": "var(--text-soft)", // marks of the markup
  "#f00": "var(--bad)", // what is invalid
}

export const colours = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) =>
    typeof color === "string" ? { ...spec, color: THEME[color] ?? "var(--text)" } : spec,
  ),
)
