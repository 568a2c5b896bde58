// The directory of a session, as each request that creates one names it.
// Invariant: two such paths that differ are two directories.
import * as Schema from "effect/Schema"

/** An absolute path without `.`, `..`, empty segments and control characters. */
export const AbsolutePath = Schema.String.check(
  Schema.isMaxLength(4096),
  Schema.isPattern(
    // oxlint-disable-next-line no-control-regex -- readers of the document need not know \p{Cc}
    /^\/(?:(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f\u007f-\u009f\u2028\u2029]+(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f\u007f-\u009f\u2028\u2029]+)*)?$/,
    {
      message: "Expected an absolute path without `.`, `..`, empty segments or control characters",
    },
  ),
).annotate({ description: "An absolute path without `.`, `..`, empty segments or control characters." })
