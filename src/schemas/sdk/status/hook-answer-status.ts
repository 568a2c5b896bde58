// Fields of a hook's answer that change nothing: the table that warnings and documentation are made of.
// Invariant: a field that is taken and that no decision reads is in it, with the reason.
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
    reloadSkills: harmless("skills are read when each turn begins"),
  },
}
