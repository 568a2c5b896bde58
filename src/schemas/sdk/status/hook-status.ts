// Every hook event of the SDK, and whether this version fires it. Refusals and documentation are made from this table.
// Invariant: an event that never fires is never registered silently: options refuse it, `initialize` names it in its answer.
import type { HookEvent } from "../hooks/hooks.ts"

/** `fires`: for callbacks and HTTP hooks. `http`: for HTTP hooks alone, as the SDK's own clients get none. */
export interface HookStatus {
  readonly status: "fires" | "http" | "never"
  /** The end of a sentence that begins with the event. */
  readonly note: string
}

const fires = { status: "fires", note: "fires" } as const
const never = (note: string) => ({ status: "never", note }) as const

const FILES = "does not fire: settings files are read when a session starts"
const WORKTREES = "does not fire: a session has no worktrees"

/** The status of each hook event. */
export const HOOK_STATUS = {
  PreToolUse: fires,
  PreSkillShellCommand: fires,
  PostToolUse: fires,
  PostToolUseFailure: fires,
  PostToolBatch: fires,
  PermissionRequest: fires,
  PermissionDenied: { status: "http", note: "fires for HTTP hooks; the SDK's callbacks do not get it" },
  Notification: fires,
  UserPromptSubmit: fires,
  UserPromptExpansion: fires,
  SessionStart: {
    status: "http",
    note: "fires for HTTP hooks; the SDK's callbacks get it with the sources `compact` and `clear` only",
  },
  SessionEnd: {
    status: "http",
    note: "fires for HTTP hooks; the SDK's callbacks get it with the reason `clear` only",
  },
  Stop: fires,
  StopFailure: fires,
  SubagentStart: fires,
  SubagentStop: fires,
  PreCompact: fires,
  PostCompact: fires,
  PreModelSwitch: fires,
  PostModelSwitch: fires,
  Setup: never("does not fire: a session has no set-up commands"),
  TeammateIdle: never("does not fire: this version has no teams"),
  TaskCreated: fires,
  TaskCompleted: fires,
  Elicitation: fires,
  ElicitationResult: fires,
  ConfigChange: never(FILES),
  InstructionsLoaded: fires,
  WorktreeCreate: never(WORKTREES),
  WorktreeRemove: never(WORKTREES),
  CwdChanged: never("is not reported yet; the log has `cwd:changed`"),
  FileChanged: never("is not reported yet; `format=parts` has `file.watcher.updated` for changes outside of turns"),
  DirectoryAdded: never("does not fire: directories are added only by options and permission updates"),
  MessageDisplay: fires,
} as const satisfies Readonly<Record<HookEvent, HookStatus>>

type Status = typeof HOOK_STATUS

/** The events that this version fires. */
export type FiredHookEvent = {
  [Event in HookEvent]: Status[Event]["status"] extends "never" ? never : Event
}[HookEvent]
