// Parses the text messages of a session's socket in numbered framing: lines, acknowledgements and the session's state.
// Invariant: a line's JSON is returned unchanged; other frames are skipped, since newer servers may send more kinds.

export type Frame =
  /** `SEQ\tJSON`; the seq is absent for a line that is not in the log. */
  | { readonly kind: "line"; readonly seq: number | undefined; readonly json: string }
  /** `+N`: the server acknowledges our lines up to number N. */
  | { readonly kind: "acknowledged"; readonly upTo: number }
  /** `?ID`: the server asks for a confirmation that everything before it was read. */
  | { readonly kind: "receipt"; readonly line: string }
  /** `=idle` or `=busy`: whether a prompt is open. */
  | { readonly kind: "state"; readonly idle: boolean }

const NUMBER = /^\d{1,15}$/
const RECEIPT = /^\?[\w-]{1,100}$/

export const readFrames = (message: string): ReadonlyArray<Frame> => message.split("\n").flatMap(frameOf)

const frameOf = (line: string): ReadonlyArray<Frame> => {
  if (line === "=idle" || line === "=busy") return [{ kind: "state", idle: line === "=idle" }]
  if (line.startsWith("+") && NUMBER.test(line.slice(1))) return [{ kind: "acknowledged", upTo: Number(line.slice(1)) }]
  if (RECEIPT.test(line)) return [{ kind: "receipt", line }]
  const tab = line.indexOf("\t")
  if (tab < 0) return []
  const seq = line.slice(0, tab)
  if (seq !== "" && !NUMBER.test(seq)) return []
  return [{ kind: "line", seq: seq === "" ? undefined : Number(seq), json: line.slice(tab + 1) }]
}

/** Formats one of our lines as it is sent. */
export const numbered = (number: number, line: string): string => `${number}\t${line}\n`
