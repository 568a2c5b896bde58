// Fields of a hook's answer that have no effect. Warnings and documentation are made from this table.
// Invariant: every field that is accepted but has no effect is in it, with the reason.
interface Unused {
  readonly status: "harmless" | "unsupported"
  readonly note: string
}

const harmless = (note: string): Unused => ({ status: "harmless", note })
const unsupported = (note: string): Unused => ({ status: "unsupported", note })

/** By event: fields of `hookSpecificOutput`. Clients get a warning for one that is `unsupported`. */
export const HOOK_ANSWER_STATUS: Readonly<Record<string, Readonly<Record<string, Unused>>>> = {
  "any event": { suppressOutput: harmless("what a hook prints is shown nowhere") },
  PostToolUse: { classifierContext: harmless("no classifier judges calls") },
  PermissionDenied: { retry: harmless("the model may make a denied call again in any case") },
  SessionStart: {
    watchPaths: unsupported("FileChanged hooks do not fire"),
    reloadSkills: harmless("skills are read at the start of each turn"),
  },
  MessageDisplay: { displayContent: unsupported("texts are shown as the model wrote them") },
}
