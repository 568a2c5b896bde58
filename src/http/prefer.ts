// Receives a request's `Prefer` (RFC 7240); returns whether the client wants its answer before the work is done.
// Invariant: a preference that is not exactly `respond-async` is ignored, as the RFC requires; text in quotes is no preference.

const QUOTED = /"(?:[^"\\]|\\.)*"/g

/** Whether `respond-async` is preferred. It has no value; an empty one is the same as none. */
export const prefersAsync = ({ headers }: Request): boolean =>
  (headers.get("prefer") ?? "")
    .replaceAll(QUOTED, (text) => (text === '""' ? "" : "quoted"))
    .split(",")
    .some((preference) => /^\s*respond-async\s*(?:=\s*)?(?:;|$)/i.test(preference))
