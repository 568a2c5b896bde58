// Receives the text of a wrangler.toml; returns its tables. It supports what such files use: tables, arrays of tables, and
// values on one line. Invariant: an unsupported line is reported by its number, and never guessed.

const HEADER = /^(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?$/
const PAIR = /^([\w-]+|"[^"]+")\s*=\s*(.+)$/

/** The value of `"text"`, `'text'`, `true`, `12`, or a list of those; undefined for anything else. */
const valueOf = (text) => {
  const bare = text.replace(/\s+#[^"']*$/, "").trim()
  if (/^'[^']*'$/.test(bare)) return bare.slice(1, -1)
  try {
    // The one-line values of such files are also valid JSON.
    return JSON.parse(bare.replace(/,\s*\]$/, "]"))
  } catch {
    return undefined
  }
}

/** `top` contains the values before the first table; `lists` the tables of `[[name]]`, `tables` those of `[name]`. */
export const readToml = (text) => {
  const top = {}
  const tables = {}
  const lists = {}
  const wrong = []
  let current = top
  text.split(/\r?\n/).forEach((line, at) => {
    const trimmed = line.trim()
    if (trimmed === "" || trimmed.startsWith("#")) return
    const header = HEADER.exec(trimmed)
    if (header !== null) {
      const [, bracket, name] = header
      current = {}
      if (bracket === "[[") (lists[name] ??= []).push(current)
      else tables[name] = current
      return
    }
    const [, name, written] = PAIR.exec(trimmed) ?? []
    const value = written === undefined ? undefined : valueOf(written)
    if (name === undefined || value === undefined) wrong.push(at + 1)
    else current[name.replaceAll('"', "")] = value
  })
  return { top, tables, lists, wrong }
}
