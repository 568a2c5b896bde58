// How existing readers of server-sent events split a stream into events, each as observed. Those in other languages are run for
// real by test/bench/sse-readers. Receives chunks of text; returns the events that the reader's application receives.

export interface ReadEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

type Reader = (chunks: ReadonlyArray<string>) => ReadonlyArray<ReadEvent>

/** What Python's `str.splitlines` treats as the end of a line. */
// oxlint-disable-next-line no-control-regex -- these are its line ends
const PYTHON_LINE = /\r\n|[\n\r\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029]/

/** Lines of a stream, split by `end`; the text after the last line end waits for more. */
const linesOf = (chunks: ReadonlyArray<string>, end: RegExp): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let rest = ""
  for (const chunk of chunks) {
    const cut = (rest + chunk).split(end)
    rest = cut.pop() ?? ""
    lines.push(...cut)
  }
  return lines
}

const fieldOf = (line: string): readonly [string, string] => {
  const cut = line.indexOf(":")
  return cut < 0 ? [line, ""] : [line.slice(0, cut), line.slice(cut + 1).replace(/^ /, "")]
}

/** As in the standard, `EventSource` and `eventsource-parser`: an event without data is dropped. */
const standard: Reader = (chunks) => decoded(linesOf(chunks, /\r\n|\n|\r/), false)

/** `httpx-sse`: lines are Python's, and an empty line emits an event once any field was read, or any id before. */
const httpxSse: Reader = (chunks) => decoded(linesOf(chunks, PYTHON_LINE), true)

const decoded = (lines: ReadonlyArray<string>, withoutData: boolean): ReadonlyArray<ReadEvent> => {
  const events: Array<ReadEvent> = []
  let [event, id, retry] = ["", "", false]
  let data: Array<string> = []
  for (const line of lines) {
    const [name, value] = fieldOf(line)
    if (line === "") {
      if (data.length > 0 || (withoutData && (event !== "" || id !== "" || retry))) {
        events.push({ event, id, data: data.join("\n") })
      }
      ;[event, retry, data] = ["", false, []]
    } else if (name === "data") data.push(value)
    else if (name === "event") event = value
    else if (name === "id") id = value
    else if (name === "retry") retry = true
  }
  return events
}

/** A script over `iter_lines` (Python's `requests` with `decode_unicode`): every line with `data:` is an event. */
const dataLines =
  (end: RegExp): Reader =>
  (chunks) => {
    let [event, id] = ["", ""]
    return linesOf(chunks, end).flatMap((line) => {
      const [name, value] = fieldOf(line)
      if (name === "id") id = value
      if (name === "event") event = value
      if (name === "") return []
      if (name === "data") return [{ event, id, data: value }]
      if (line === "") event = ""
      // The rest of a longer line that the line splitter cut.
      return ["id", "event", "retry", ""].includes(name) ? [] : [{ event: "?", id, data: line }]
    })
  }

/** Go's `r3labs/sse`: blocks between empty lines, split into lines; a block without fields is dropped. */
const blocks: Reader = (chunks) =>
  chunks
    .join("")
    .split(/\r\n\r\n|\n\n|\r\r/)
    .slice(0, -1)
    .flatMap((block) => {
      const fields = block
        .split(/[\r\n]+/)
        .filter((line) => !line.startsWith(":"))
        .map(fieldOf)
      const of = (name: string) => fields.filter(([one]) => one === name).map(([, value]) => value)
      if (fields.length === 0) return []
      return [{ event: of("event").at(-1) ?? "", id: of("id").at(-1) ?? "", data: of("data").join("\n") }]
    })

export const READERS: Readonly<Record<string, Reader>> = {
  standard,
  httpxSse,
  "requests, decoded": dataLines(PYTHON_LINE),
  "requests, bytes": dataLines(/\r\n|\n|\r/),
  bufio: dataLines(/\n/),
  blocks,
}
