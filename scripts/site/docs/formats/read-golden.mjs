// Receives a golden file of test/views/golden; returns one frame of each kind, in the order in which they first appear.
// Invariant: every kind of frame in the file is returned once, so that the page of a format is complete for the recording.
import fs from "node:fs"
import path from "node:path"

const contentTypes = ({ message }) =>
  Array.isArray(message?.content) ? [...new Set(message.content.map(({ type }) => type))].join(", ") : undefined

const join = (...words) => words.filter((word) => word !== undefined && word !== "").join(" / ")

const sdkKind = (message) => join(message.type, message.subtype, contentTypes(message))

/**
 * The name of a frame's kind, by format.
 * @type {Readonly<Record<string, (frame: object) => string>>}
 */
export const KIND_OF = {
  sdk: ({ data }) => sdkKind(data),
  client: ({ data }) => sdkKind(data.payload),
  signal: ({ data }) => data.name,
  parts: ({ data }) => join(data.type, data.properties?.part?.type),
  "agent-events": ({ data }) => join(data.stream, data.data?.phase),
  reply: ({ data }) => join(data.type, data.stream, data.data?.phase),
  "ag-ui": ({ data }) => join(data.type, data.type === "CUSTOM" ? data.name : undefined),
  session: (event) => event.name,
}

export const readGolden = (root, name) =>
  fs
    .readFileSync(path.join(root, "test/views/golden", `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

export const framesByKind = (frames, kindOf) => {
  const found = new Map()
  for (const frame of frames) {
    const kind = kindOf(frame)
    const one = found.get(kind)
    if (one === undefined) found.set(kind, { kind, frame, count: 1 })
    else one.count += 1
  }
  return [...found.values()]
}

const LONG_TEXT = 160
const LONG_LIST = 3

/** The value with long texts and lists truncated; a count replaces what was removed. */
export const shortened = (value) => {
  if (typeof value === "string") {
    return value.length <= LONG_TEXT ? value : `${value.slice(0, LONG_TEXT - 40)}… (${value.length} characters)`
  }
  if (Array.isArray(value)) {
    const kept = value.length > LONG_LIST + 1 ? value.slice(0, LONG_LIST) : value
    const rest = value.length - kept.length
    return [...kept.map(shortened), ...(rest > 0 ? [`… ${rest} more`] : [])]
  }
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one)]))
}
