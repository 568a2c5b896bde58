// What every hook input begins with.
import { Schema } from "effect"
import { open } from "./open.ts"

const base = {
  session_id: Schema.String,
  transcript_path: Schema.String,
  cwd: Schema.String,
  prompt_id: Schema.optionalKey(Schema.String),
  permission_mode: Schema.optionalKey(Schema.String),
  agent_id: Schema.optionalKey(Schema.String),
  agent_type: Schema.optionalKey(Schema.String),
  effort: Schema.optionalKey(open({ level: Schema.String })),
}

/** The input of one event: the base, the event's name and its own fields. */
export const hookInput = <const Event extends string, const Fields extends Schema.Struct.Fields>(
  event: Event,
  fields: Fields,
) => open({ ...base, hook_event_name: Schema.Literal(event), ...fields })
