// Receives what happened in a turn; returns the input of a hook event in the SDK's shape, and the event that records it.
// Invariant: every hook event is in the log once, as `hook:fired`; the Queue and D1 read it from there.
import type { HookFired } from "../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../schemas/log/events.ts"
import type { FiredHookEvent } from "../schemas/sdk/status/hook-status.ts"

/** The source of the fields that every hook input has. */
export interface HookBase {
  readonly sessionId: string
  readonly cwd: string
  readonly turn: string | null
  readonly permissionMode?: string
  /** The effort of the model's requests, where it has one. */
  readonly effort?: string
  /** The subagent in whose run the event happens; without an id, the agent that the main thread runs as. */
  readonly agent?: { readonly id?: string; readonly type: string }
}

/** `transcript_path` is the URL path of the session's events. */
const transcriptPath = (sessionId: string): string => `/v1/sessions/${sessionId}/events`

export const hookFired = (
  base: HookBase,
  uuid: string,
  name: FiredHookEvent,
  extra: Readonly<Record<string, unknown>>,
): NewEvent<"hook:fired"> => {
  const payload: HookFired = {
    id: uuid,
    hook_event_name: name,
    input: {
      session_id: base.sessionId,
      transcript_path: transcriptPath(base.sessionId),
      cwd: base.cwd,
      ...(base.turn === null ? {} : { prompt_id: base.turn }),
      ...(base.permissionMode === undefined ? {} : { permission_mode: base.permissionMode }),
      ...(base.effort === undefined ? {} : { effort: { level: base.effort } }),
      ...(base.agent?.id === undefined ? {} : { agent_id: base.agent.id }),
      ...(base.agent === undefined ? {} : { agent_type: base.agent.type }),
      hook_event_name: name,
      ...extra,
    },
    outcome: {},
  }
  return { name: EventNames.hookFired, payload, uuid, turn: base.turn }
}
