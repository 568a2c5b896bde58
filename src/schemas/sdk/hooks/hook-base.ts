// The fields that every hook input has.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"

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

type InputFields<Event extends string, Own> = Omit<typeof base, keyof Own> & {
  readonly hook_event_name: Schema.Literal<Event>
} & Own

/** The input of one event: the base, the event's name and its own fields, which override the base's of the same name. */
export const hookInput = <const Event extends string, const Own extends Schema.Struct.Fields>(event: Event, own: Own) =>
  // The type of the spread; the compiler infers an intersection, in which a field of both would have both types.
  open({ ...base, hook_event_name: Schema.Literal(event), ...own } as InputFields<Event, Own>)
