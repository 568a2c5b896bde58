// Receives Markdown text; returns it with HTML character references resolved, as Markdown renderers do.
import { ownValue } from "../../../schemas/own-value.ts"

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  middot: "·",
  bull: "•",
  rarr: "→",
  larr: "←",
  uarr: "↑",
  darr: "↓",
  times: "×",
  divide: "÷",
  deg: "°",
  plusmn: "±",
  le: "≤",
  ge: "≥",
  ne: "≠",
  euro: "€",
  pound: "£",
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g

const ofCode = (code: number): string =>
  code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "�" : String.fromCodePoint(code)

/** Unknown names stay unchanged. */
export const resolveEntities = (text: string): string =>
  text.includes("&")
    ? text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
        if (decimal !== undefined) return ofCode(Number(decimal))
        if (hex !== undefined) return ofCode(Number.parseInt(hex, 16))
        return (name === undefined ? undefined : ownValue(NAMED, name)) ?? whole
      })
    : text
