// The fields of tools that change only the session's own notes: its todos, tasks, mode, and background tasks.
// Invariant: such a call touches no file and nothing outside, so it needs no permission and may be repeated after a crash.

/** All fields that describe how such a tool behaves, except `readOnly`. */
export const ownNotes = {
  edits: () => false,
  hasOutsideEffects: () => false,
  internal: true,
  destructive: false,
  idempotent: true,
  paths: () => [],
} as const
