// What the fields about permissions in opencode's terms mean.
import type { Glossary } from "./glossary.ts"

export const PERMISSION_WORDS: Glossary = {
  "#ReplyAnswer": ["An answer to a permission in opencode's terms; nothing else is sent beside it."],
  "ReplyAnswer.reply": ["This call, this call and those like it, or neither.", "always"],
  "ReplyAnswer.message": ["With `reject`: feedback for the model.", "Use the copy in docs/ instead."],
  "ReplyAnswer.scope": ["With `always`: where it holds, the session (the default) or all of the tenant's.", "session"],
  "#SavedPermission": ["A permission that was answered with `always`."],
  "SavedPermission.id": ["Its id, made of what it allows.", "sav_8a1f0c3b5d7e9f21"],
  "SavedPermission.permission": ["The permission, by opencode's name.", "bash"],
  "SavedPermission.pattern": ["The commands, paths or names that it allows.", "npm test *"],
  "SavedPermission.scope": ["Where it holds: in the session, or in all of the tenant's.", "session"],
  "PendingAsk.permission": ["Of a permission: its name in opencode's terms.", "bash"],
  "PendingAsk.patterns": ["The commands, paths or names that lack it.", ["npm test --watch"]],
  "PendingAsk.always": [
    "What the reply `always` would save; where it is empty, that reply is refused.",
    [{ permission: "bash", pattern: "npm test *" }],
  ],
  saved: ["The saved permissions, the session's own first."],
  pattern: ["The commands, paths or names that it is about.", "npm test *"],
}
