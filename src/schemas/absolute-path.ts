// The paths that requests name: a session's directory, additional directories and files; and the limits of a path.
// Invariant: the workspace can contain each; two values of AbsolutePath or FilePath that differ are two paths.
import * as Schema from "effect/Schema"

export const MAX_PATH_BYTES = 4096
export const MAX_NAME_BYTES = 255

const encoder = new TextEncoder()

/** True when the text is longer than `bytes` in UTF-8. It encodes the text only when its length does not decide. */
export const longerThan = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && encoder.encode(text).length > bytes)

export const PATH_LIMITS = "of at most 4,096 bytes with 255 in each name"
const fits = (path: string): boolean =>
  !longerThan(path, MAX_PATH_BYTES) && path.split("/").every((name) => !longerThan(name, MAX_NAME_BYTES))

/** A path that matches the pattern and that the workspace can contain. `rule` describes the pattern. */
const pathOf = (rule: string, pattern: RegExp) => {
  const message = `Expected ${rule}, ${PATH_LIMITS}`
  return Schema.String.check(
    // Checked first, and alone if it fails: all checks have one message.
    Schema.makeFilter((path) => fits(path) || message, undefined, true),
    Schema.isMaxLength(MAX_PATH_BYTES),
    Schema.isPattern(pattern, { message }),
  ).annotate({ description: `Must be ${rule}, ${PATH_LIMITS}.` })
}

export const AbsolutePath = pathOf(
  "an absolute path without `.`, `..`, empty segments or control characters",
  // oxlint-disable-next-line no-control-regex -- readers of the document need not know \p{Cc}
  /^\/(?:(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f\u007f-\u009f\u2028\u2029]+(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f\u007f-\u009f\u2028\u2029]+)*)?$/,
)

/** A directory of `additionalDirectories`, which may be written with `.`, `..` and empty segments. */
export const DirectoryPath = pathOf(
  "an absolute path without control characters",
  // oxlint-disable-next-line no-control-regex -- as above
  /^\/[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/,
)

/** A file's path: as in POSIX, its names may contain any character but NUL and the slash. */
export const FilePath = pathOf(
  "an absolute path without `.`, `..`, empty segments or a NUL character",
  // oxlint-disable-next-line no-control-regex -- NUL is the one that is left out
  /^\/(?:(?!\.{1,2}(?:\/|$))[^/\u0000]+(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000]+)*)?$/,
)
