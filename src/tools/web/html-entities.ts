// Receives text of a page; returns it with its character references replaced.
// Invariant: an unknown reference is left unchanged.

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  shy: "",
  copy: "©",
  reg: "®",
  trade: "™",
  mdash: "—",
  ndash: "–",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  sbquo: "‚",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  laquo: "«",
  raquo: "»",
  lsaquo: "‹",
  rsaquo: "›",
  bull: "•",
  middot: "·",
  para: "¶",
  sect: "§",
  deg: "°",
  plusmn: "±",
  times: "×",
  divide: "÷",
  frac12: "½",
  frac14: "¼",
  frac34: "¾",
  sup1: "¹",
  sup2: "²",
  sup3: "³",
  micro: "µ",
  euro: "€",
  pound: "£",
  yen: "¥",
  cent: "¢",
  iexcl: "¡",
  iquest: "¿",
  szlig: "ß",
  aelig: "æ",
  AElig: "Æ",
  oslash: "ø",
  Oslash: "Ø",
  eth: "ð",
  thorn: "þ",
  oelig: "œ",
  OElig: "Œ",
  larr: "←",
  uarr: "↑",
  rarr: "→",
  darr: "↓",
  harr: "↔",
  minus: "−",
  ne: "≠",
  le: "≤",
  ge: "≥",
  infin: "∞",
  check: "✓",
  zwj: "\u200d",
  zwnj: "\u200c",
  ensp: "\u2002",
  emsp: "\u2003",
  thinsp: "\u2009",
}

/** Combining marks by name: references such as `eacute` and `Uuml` are a letter and the name of its mark. */
const MARKS: Readonly<Record<string, string>> = {
  acute: "\u0301",
  grave: "\u0300",
  circ: "\u0302",
  uml: "\u0308",
  tilde: "\u0303",
  cedil: "\u0327",
  ring: "\u030a",
  caron: "\u030c",
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,9}));?/g
const MARKED = /^([a-zA-Z])(acute|grave|circ|uml|tilde|cedil|ring|caron)$/

export const decodeEntities = (text: string): string =>
  text.includes("&")
    ? text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return named(name) ?? whole
        const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
        return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd"
      })
    : text

const named = (name: string): string | undefined => {
  if (Object.hasOwn(NAMED, name)) return NAMED[name]
  const [, letter, mark] = MARKED.exec(name) ?? []
  return letter === undefined || mark === undefined ? undefined : `${letter}${MARKS[mark]}`.normalize("NFC")
}
