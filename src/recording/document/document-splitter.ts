// Receives the text of a recording's JSON document in pieces; returns its parts, each as JSON text: the metadata, each signal,
// each answer, each chunk, each checkpoint.
// Invariant: only one part and the latest piece of text are in memory, however long the document is.

/** What is wrong with a document; `field` is the path of the field that can't be read. */
export class DocumentFault extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(field === "" ? `The document ${message}.` : `${field} ${message}.`)
    this.field = field
  }
}

/** The fields of a document that contain many parts, with their opening character. */
const SECTIONS: Readonly<Record<string, "[" | "{">> = { signals: "[", answers: "[", checkpoints: "[", chunks: "{" }

export interface DocumentPart {
  /** The field of the document. */
  readonly section: string
  /** The hash of a chunk, or the index of a list's item; null for a field that is one part. */
  readonly key: string | null
  readonly json: string
}

/** The most characters of one part: the 20 MiB of a prompt, and its event around it. */
const MAX_PART = 24 * 1024 * 1024

type State = "start" | "key" | "colon" | "value" | "after" | "item" | "item-key" | "item-colon" | "after-item" | "end"

const WHITESPACE = /[^ \t\r\n]/g

export class DocumentSplitter {
  #text = ""
  /** The position in `#text` up to which it has been read. */
  #at = 0
  #state: State = "start"
  readonly #seen = new Set<string>()
  #section = ""
  #key: string | null = null
  #index = 0
  /** True in a list or object that has had no item yet. */
  #isFirst = true
  /** Where the scan for the end of a value continues. */
  #scan: { at: number; depth: number; quoted: boolean } | null = null

  /** Call it after the last piece. Throws a `DocumentFault` when the document is not complete. */
  end(): void {
    this.#skip()
    if (this.#state !== "end") throw new DocumentFault(this.#section, "is not complete")
  }

  /** Yields the parts that a further piece of text completes. Throws a `DocumentFault` at the first invalid character. */
  *push(text: string): Generator<DocumentPart> {
    this.#text = this.#text.slice(this.#at) + text
    if (this.#scan !== null) this.#scan.at -= this.#at
    this.#at = 0
    for (;;) {
      const part = this.#step()
      if (part === "more") break
      if (part !== null) yield part
    }
    if (this.#text.length - this.#at > MAX_PART) throw new DocumentFault(this.#field, "is larger than 24 MiB")
  }

  get #field(): string {
    if (this.#section === "") return ""
    if (this.#key !== null) return `${this.#section}.${this.#key}`
    return SECTIONS[this.#section] === "[" && this.#state !== "value"
      ? `${this.#section}[${this.#index}]`
      : this.#section
  }

  #skip(): void {
    WHITESPACE.lastIndex = this.#at
    this.#at = WHITESPACE.exec(this.#text)?.index ?? this.#text.length
  }

  /** Reads the next token or value; null when it is no part, "more" when the text ends before it is complete. */
  #step(): DocumentPart | null | "more" {
    this.#skip()
    const next = this.#text[this.#at]
    if (next === undefined) return "more"
    switch (this.#state) {
      case "start":
        return this.#take("{", next, "key")
      case "key":
        return this.#closes("}", next) ? this.#become("end") : this.#name(next, "colon")
      case "colon":
        return this.#take(":", next, "value")
      case "value":
        return this.#value(next)
      case "after":
        return next === "}" ? this.#next("end") : this.#take(",", next, "key", false)
      case "item":
        return this.#closes("]", next) ? this.#become("after") : this.#part("after-item", String(this.#index))
      case "item-key":
        return this.#closes("}", next) ? this.#become("after") : this.#name(next, "item-colon")
      case "item-colon":
        return this.#take(":", next, "item")
      case "after-item":
        return this.#afterItem(next)
      case "end":
        throw new DocumentFault("", "has text after its end")
    }
  }

  #value(next: string): DocumentPart | null | "more" {
    const opening = SECTIONS[this.#section]
    if (opening === undefined) return this.#part("after", null)
    if (next !== opening) {
      throw new DocumentFault(this.#section, opening === "[" ? "must be an array" : "must be an object")
    }
    this.#index = 0
    this.#isFirst = true
    return this.#next(opening === "[" ? "item" : "item-key")
  }

  #afterItem(next: string): null {
    const isList = SECTIONS[this.#section] === "["
    this.#key = null
    if (next === (isList ? "]" : "}")) return this.#next("after")
    this.#index += 1
    return this.#take(",", next, isList ? "item" : "item-key", false)
  }

  /** True at the closing bracket of an empty list or object; after an item, `after-item` handles it. */
  #closes(closing: string, next: string): boolean {
    // After a key, an object can't end before the key's value.
    if (next !== closing || !this.#isFirst || this.#key !== null) return false
    this.#at += 1
    return true
  }

  #become(state: State): null {
    this.#state = state
    return null
  }

  #next(state: State): null {
    this.#at += 1
    return this.#become(state)
  }

  #take(expected: string, next: string, state: State, isFirst = true): null {
    if (next !== expected) throw new DocumentFault(this.#field, `is not JSON: expected ${expected}, got ${next}`)
    if (state === "key" || state === "item-key") this.#isFirst = isFirst
    if (state === "item" && expected === ",") this.#isFirst = false
    return this.#next(state)
  }

  #name(next: string, state: "colon" | "item-colon"): null | "more" {
    if (next !== '"') throw new DocumentFault(this.#field, "is not JSON: expected a name in quotes")
    const json = this.#json()
    if (json === null) return "more"
    const name = parsedValue(this.#field, json)
    if (state === "item-colon") this.#key = String(name)
    else {
      this.#section = String(name)
      if (this.#seen.has(this.#section)) throw new DocumentFault(this.#section, "appears twice")
      this.#seen.add(this.#section)
    }
    return this.#become(state)
  }

  #part(after: State, index: string | null): DocumentPart | "more" {
    const json = this.#json()
    if (json === null) return "more"
    const part = { section: this.#section, key: this.#key ?? index, json }
    this.#become(after)
    return part
  }

  /** The JSON text of the value that begins here; null while its end is missing. */
  #json(): string | null {
    const text = this.#text
    const scan = (this.#scan ??= { at: this.#at, depth: 0, quoted: false })
    for (; scan.at < text.length; scan.at += 1) {
      const code = text.charCodeAt(scan.at)
      if (scan.quoted) {
        if (code === 92) {
          // The escaped character is in the next piece.
          if (scan.at + 1 === text.length) return null
          scan.at += 1
        } else if (code === 34) {
          scan.quoted = false
          if (scan.depth === 0) return this.#cut(scan.at + 1)
        }
      } else if (code === 34) scan.quoted = true
      else if (code === 123 || code === 91) scan.depth += 1
      else if (code === 125 || code === 93 || (scan.depth === 0 && (code === 44 || code <= 32))) {
        // A number or a literal ends before a separator, a closing bracket or whitespace.
        if (scan.depth === 0) return this.#cut(scan.at)
        scan.depth -= 1
        if (scan.depth === 0) return this.#cut(scan.at + 1)
      }
    }
    return null
  }

  #cut(end: number): string {
    const json = this.#text.slice(this.#at, end)
    if (json === "") throw new DocumentFault(this.#field, "is not JSON: a value is missing")
    this.#scan = null
    this.#at = end
    return json
  }
}

/** The value of a JSON text. Throws a `DocumentFault` for the field. */
export const parsedValue = (field: string, json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    throw new DocumentFault(field, "is not JSON")
  }
}
