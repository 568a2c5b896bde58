// What tools declare that touch nothing but the session's own notes: its todos, tasks, mode, and what runs in the background.
// Invariant: such a call reaches no file and nothing outside, so it needs no permission and a crash may repeat it.

/** All that a tool declares but whether a call only reads. */
export const ownNotes = {
  edits: () => false,
  outside: () => false,
  internal: true,
  destructive: false,
  idempotent: true,
  paths: () => [],
} as const
