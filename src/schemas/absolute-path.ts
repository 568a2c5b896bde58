// The directory of a session, as each request that creates one names it, and the limits of a path.
// Invariant: two such paths that differ are two directories, and the workspace can contain each.
import * as Schema from "effect/Schema"

export const MAX_PATH_BYTES = 4096
export const MAX_NAME_BYTES = 255

const encoder = new TextEncoder()

/** True when the text is longer than `bytes` in UTF-8. It encodes the text only when its length does not decide. */
export const longerThan = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && encoder.encode(text).length > bytes)

const RULE =
  "an absolute path without `.`, `..`, empty segments or control characters, of at most 4,096 bytes with 255 in each name"
const message = `Expected ${RULE}`

export const AbsolutePath = Schema.String.check(
  Schema.isMaxLength(MAX_PATH_BYTES),
  Schema.makeFilter(
    (path) =>
      (!longerThan(path, MAX_PATH_BYTES) && path.split("/").every((name) => !longerThan(name, MAX_NAME_BYTES))) ||
      message,
  ),
  Schema.isPattern(
    // oxlint-disable-next-line no-control-regex -- readers of the document need not know \p{Cc}
    /^\/(?:(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f\u007f-\u009f\u2028\u2029]+(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f\u007f-\u009f\u2028\u2029]+)*)?$/,
    { message },
  ),
).annotate({ description: `Must be ${RULE}.` })
