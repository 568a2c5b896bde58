// What the fields about permissions in opencode's terms mean.
import type { Glossary } from "./glossary.ts"

export const PERMISSION_WORDS: Glossary = {
  "ReplyAnswer.reply": [
    "`once` allows this call, `always` allows this call and similar ones, `reject` denies it.",
    "always",
  ],
  "ReplyAnswer.message": ["With `reject`: feedback for the model.", "Use the copy in docs/ instead."],
  "ReplyAnswer.scope": [
    "With `always`: where it applies, in the session (the default) or in all sessions of the tenant.",
    "session",
  ],
  "#SavedPermission": ["A permission that was answered with `always`."],
  "SavedPermission.id": ["Its id, derived from what it allows.", "sav_8a1f0c3b5d7e9f21"],
  "SavedPermission.permission": ["The permission, by opencode's name.", "bash"],
  "SavedPermission.pattern": ["The commands, paths or names that it allows.", "npm test *"],
  "SavedPermission.scope": ["Where it applies: in the session, or in all sessions of the tenant.", "session"],
  "PendingAsk.permission": ["Of a permission: its name in opencode's terms.", "bash"],
  "PendingAsk.patterns": ["The commands, paths or names that need the permission.", ["npm test --watch"]],
  "PendingAsk.always": [
    "What the reply `always` would save; when it is empty, that reply is refused.",
    [{ permission: "bash", pattern: "npm test *" }],
  ],
  saved: ["The saved permissions, the session's own first."],
  pattern: ["The commands, paths or names that it applies to.", "npm test *"],
}
