// Receives the output of a command; returns the text for the model. An output of more than 30,000 characters is saved in
// `.perch/tool-results` of the workspace, and the text has its first lines and the path.
// Invariant: no output is lost, unless the workspace has no room for it: then the text reports that.
import { MAX_READ_CHARACTERS } from "../workspace/text-limits.ts"
import type { GuardedOverlay } from "../workspace/tree/guarded-overlay.ts"
import { WorkspaceError } from "../workspace/workspace-error.ts"

export const MAX_OUTPUT_CHARACTERS = 30_000
const PREVIEW_CHARACTERS = 2_000

export interface Shown {
  readonly text: string
  readonly saved?: { readonly persistedOutputPath: string; readonly persistedOutputSize: number }
}

export const cutOutput = (text: string): string =>
  text.length <= MAX_OUTPUT_CHARACTERS
    ? text
    : `${text.slice(0, MAX_OUTPUT_CHARACTERS)}\n(Output cut here: ${text.length - MAX_OUTPUT_CHARACTERS} more characters.)`

/** The start of the text, up to the last complete line of the preview. */
const beginning = (text: string): string => {
  const start = text.slice(0, PREVIEW_CHARACTERS)
  const end = start.lastIndexOf("\n")
  return end > PREVIEW_CHARACTERS / 2 ? start.slice(0, end) : start
}

/** The path where the result of a call is saved. `root` is the session's working directory. */
export const resultPath = (root: string, callId: string, ending: string): string =>
  `${root === "/" ? "" : root}/.perch/tool-results/${callId.replace(/[^\w-]/g, "_").slice(0, 100)}${ending}`

/** The text for the model about a saved output; `bytes` is its size. */
export const savedText = (text: string, bytes: number, path: string): string =>
  [
    "<persisted-output>",
    `The output is too long to show (${(bytes / 1024).toFixed(1)}KB). All of it is in: ${path}`,
    ...(hasLongLine(text) ? [LONG_LINES] : []),
    "",
    `It begins:`,
    beginning(text),
    "…",
    "</persisted-output>",
  ].join("\n")

const LONG_LINES = `Read cuts its lines at ${MAX_READ_CHARACTERS} characters. In Bash, head -c and cut -c show all of them.`

const hasLongLine = (text: string): boolean => {
  for (let from = 0; from + MAX_READ_CHARACTERS < text.length;) {
    const end = text.indexOf("\n", from)
    if ((end < 0 ? text.length : end) - from > MAX_READ_CHARACTERS) return true
    from = end + 1
  }
  return false
}

/** `raw` is the whole output as it was printed: it is saved. */
export const showOutput = (text: string, overlay: GuardedOverlay, cwd: string, callId: string, raw = text): Shown => {
  if (text.length <= MAX_OUTPUT_CHARACTERS) return { text }
  const path = resultPath(cwd, callId, ".txt")
  const bytes = Buffer.from(raw, "utf8")
  try {
    overlay.note(path, bytes)
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    return { text: cutOutput(text) }
  }
  return {
    text: savedText(text, bytes.length, path),
    saved: { persistedOutputPath: path, persistedOutputSize: bytes.length },
  }
}
