// Receives a jq filter; returns one that gives under the shell's jq what the filter gives under jq itself.
// Invariant: the content of a string stays as it is, escapes of characters apart.

const CSV_CELL =
  'if type == "string" then "\\"" + gsub("\\""; "\\"\\"") + "\\"" elif . == null then "" else tostring end'
const SHELL_WORD = 'if type == "string" then "\'" + gsub("\'"; "\'\\\\\'\'") + "\'" else tostring end'

const WORDS: Readonly<Record<string, string>> = {
  unique: "(sort | unique)",
  "@csv": `(map(${CSV_CELL}) | join(","))`,
  "@sh": `((if type == "array" then . else [.] end) | map(${SHELL_WORD}) | join(" "))`,
}

/** Names whose argument must be sorted by before it is grouped. */
const SORTED_FIRST = new Set(["group_by", "unique_by"])

const TOKEN = /"(?:[^"\\]|\\[\s\S])*"|#[^\n]*|[.$@]?[A-Za-z_]\w*|[\s\S]/g

const closing = (tokens: ReadonlyArray<string>, open: number): number => {
  let depth = 0
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at] === "(") depth += 1
    else if (tokens[at] === ")") depth -= 1
    if (depth === 0) return at
  }
  return -1
}

const unescaped = (text: string): string =>
  text.replace(
    /\\(\\|u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/g,
    (all, one, high, low, single) => {
      if (one === "\\") return all
      const code = typeof single === "string" ? Number.parseInt(single, 16) : 0
      if (code !== 0) return code < 0x20 || code === 0x22 || code === 0x5c ? all : String.fromCharCode(code)
      if (typeof high !== "string" || typeof low !== "string") return all
      return String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16))
    },
  )

const isBlank = (token: string): boolean => /^\s$/.test(token)

const neighbour = (tokens: ReadonlyArray<string>, at: number, step: 1 | -1): string => {
  let to = at + step
  while (isBlank(tokens[to] ?? "x")) to += step
  return tokens[to] ?? ""
}

/** The items between the commas outside of brackets. */
const listed = (tokens: ReadonlyArray<string>): ReadonlyArray<string> => {
  const items = [""]
  let depth = 0
  for (const token of tokens) {
    if (/^[([{]$/.test(token)) depth += 1
    else if (/^[)\]}]$/.test(token)) depth -= 1
    if (token === "," && depth === 0) items.push("")
    else items[items.length - 1] += token
  }
  return items.map((item) => item.trim())
}

const SLICE = /^([\s\S]*)\[(-?\d*):(-?\d*)\]$/
const NAMED_PATH = /^\.[\w.]*(?:\[-?\d*:-?\d*\])?$/

/** `del` of named paths and slices, one after the other; null for anything else. */
const deletion = (items: ReadonlyArray<string>): string | null => {
  if (!items.every((item) => NAMED_PATH.test(item)) || (items.length < 2 && !SLICE.test(items[0] ?? ""))) return null
  const steps = items.map((item) => {
    const [, path = ".", from = "", to = ""] = SLICE.exec(item) ?? []
    if (!SLICE.test(item)) return `del(${item})`
    const kept = [...(from === "" ? [] : [`.[:${from}]`]), ...(to === "" ? [] : [`.[${to}:]`])]
    return `(${path} |= (${kept.length === 0 ? "[]" : kept.join(" + ")}))`
  })
  return `(${steps.join(" | ")})`
}

const rewritten = (tokens: ReadonlyArray<string>): string => {
  let result = ""
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? ""
    const after = neighbour(tokens, at, 1)
    const before = neighbour(tokens, at, -1)
    const deleted = token === "del" && tokens[at + 1] === "(" ? closing(tokens, at + 1) : -1
    const items = deleted === -1 ? null : deletion(listed(tokens.slice(at + 2, deleted)))
    if (items !== null) {
      result += items
      at = deleted
    } else if (token.startsWith('"')) result += unescaped(token)
    else if (SORTED_FIRST.has(token) && tokens[at + 1] === "(") {
      const end = closing(tokens, at + 1)
      const argument = rewritten(tokens.slice(at + 2, end === -1 ? tokens.length : end))
      if (end === -1) return result + tokens.slice(at).join("")
      result += `(sort_by(${argument}) | ${token}(${argument}))`
      at = end
    } else if (Object.hasOwn(WORDS, token) && after !== ":" && !after.startsWith('"') && before !== "def")
      result += WORDS[token]
    else if (/^\$\w+$/.test(token) && /^[{,]$/.test(before) && /^[},]$/.test(after) && inObject(tokens, at))
      result += `${token.slice(1)}: ${token}`
    else result += token
  }
  return result
}

/** True when the nearest open bracket is that of an object. */
const inObject = (tokens: ReadonlyArray<string>, at: number): boolean => {
  let depth = 0
  for (let to = at - 1; to >= 0; to -= 1) {
    const token = tokens[to] ?? ""
    if (/^[)\]}]$/.test(token)) depth += 1
    else if (/^[([{]$/.test(token)) {
      if (depth === 0) return token === "{"
      depth -= 1
    }
  }
  return false
}

export const filterForJq = (filter: string): string => rewritten(filter.match(TOKEN) ?? [])
