// Receives the path of a downloaded recording; returns its bytes, its id and its subject.
// Invariant: an invalid file is rejected with one sentence that says why. The server checks the rest.
import fs from "node:fs"

/** The server's limits: the documents that it accepts. */
const MAX_BYTES = 128 * 1024 * 1024
const VERSION = 1
const ID = /^[A-Za-z0-9_-]{1,64}$/

export class NoRecording extends Error {}

const bytesOf = (file) => {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new NoRecording("The file does not exist.")
  if (!found.isFile()) {
    throw new NoRecording("It is not a file. Give the JSON document that GET /v1/recordings/{id}/download answers.")
  }
  if (found.size > MAX_BYTES) {
    throw new NoRecording(`It has ${found.size} bytes, and a recording has at most ${MAX_BYTES}.`)
  }
  try {
    return fs.readFileSync(file)
  } catch (error) {
    throw new NoRecording(`It can't be read: ${error.code ?? error.message}.`)
  }
}

const jsonOf = (bytes) => {
  try {
    return JSON.parse(bytes.toString("utf8"))
  } catch {
    throw new NoRecording("It is not JSON, or it is cut off. Download the recording again.")
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

export const readRecording = (file) => {
  const bytes = bytesOf(file)
  const document = jsonOf(bytes)
  const metadata = isObject(document) ? document.metadata : undefined
  if (!isObject(metadata) || !Array.isArray(document.signals)) {
    throw new NoRecording(
      "It is not a recording: a recording has the fields metadata, signals, checkpoints, answers and chunks.",
    )
  }
  const { id, kind, version } = metadata
  if (version !== VERSION) {
    throw new NoRecording(
      `Its format has the version ${JSON.stringify(version)}, and this version of Perch reads ${VERSION}.`,
    )
  }
  if (typeof id !== "string" || !ID.test(id)) {
    throw new NoRecording("It is not a recording: metadata.id must be 1 to 64 letters, digits, _ or -.")
  }
  return { bytes, id, kind }
}
