// The names of hook events, and a short summary of an event's outcome.
import type { HookEventInfo } from "../../schemas/api/hooks.ts"
import type { HookEvent } from "../../schemas/sdk/hooks/hooks.ts"
import { sessionIdOf } from "../app/session-id.ts"

/** All names, in the order of the Agent SDK; the type checks that none is missing. */
const NAMES: Readonly<Record<HookEvent, true>> = {
  PreToolUse: true,
  PreSkillShellCommand: true,
  PostToolUse: true,
  PostToolUseFailure: true,
  PostToolBatch: true,
  PermissionRequest: true,
  PermissionDenied: true,
  Notification: true,
  UserPromptSubmit: true,
  UserPromptExpansion: true,
  SessionStart: true,
  SessionEnd: true,
  Stop: true,
  StopFailure: true,
  SubagentStart: true,
  SubagentStop: true,
  PreCompact: true,
  PostCompact: true,
  MessageDisplay: true,
  PreModelSwitch: true,
  PostModelSwitch: true,
  Setup: true,
  TeammateIdle: true,
  TaskCreated: true,
  TaskCompleted: true,
  Elicitation: true,
  ElicitationResult: true,
  ConfigChange: true,
  InstructionsLoaded: true,
  WorktreeCreate: true,
  WorktreeRemove: true,
  CwdChanged: true,
  FileChanged: true,
  DirectoryAdded: true,
}

export const HOOK_EVENT_NAMES: ReadonlyArray<string> = Object.keys(NAMES)

/** The tool of the event and the number of failed hooks; empty when there is neither. */
export const summaryOf = ({ input, outcome }: HookEventInfo): string => {
  const { tool_name: tool } = input
  const { failures } = outcome
  const failed = Array.isArray(failures) ? failures.length : 0
  return [
    ...(typeof tool === "string" ? [tool] : []),
    ...(failed === 0 ? [] : [failed === 1 ? "1 hook failed" : `${failed} hooks failed`]),
  ].join(" · ")
}

/** The problem with a typed session id; null when it is valid or empty. */
export const sessionFault = (text: string): string | null =>
  text.trim() === "" || sessionIdOf(text) !== null ? null : "This is no session id. Paste all 36 characters of it."
