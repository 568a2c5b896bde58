// Receives an event of a session's log; returns it as a signal: `{id, name, payload, timestamp, source?}`.
// Invariant: every event is one signal, and its payload's JSON is passed on unchanged.
import * as Schema from "effect/Schema"
import type { SignalSource } from "../signal.ts"
import { compilePattern } from "../signal-pattern.ts"
import type { EventHead } from "./events.ts"

/** The signal name of an event, with colons between all segments: `sdk:result/success` becomes `sdk:result:success`. */
export const signalName = (eventName: string): string => eventName.replaceAll("/", ":")

const MAX_LENGTH = 256

/** The name of an event, or a pattern over signal names; a slash counts as a colon. */
export const EventNamePattern = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(MAX_LENGTH),
  Schema.makeFilter(
    (text) =>
      !text.includes("*") ||
      compilePattern(signalName(text)) !== null ||
      "Expected letters, digits and : / . - _, with at most 8 stars: * for a segment, ** for any number of them",
  ),
).annotate({
  description:
    "The name of an event, or a pattern: `*` for a segment, `**` for any number of segments, 8 stars at most. Segments end at `:` and `/`.",
})

/** What caused the event: the prompt of its turn; `agent` is the Agent call of the subagent that it belongs to. */
const sourceOf = ({ uuid, turn, parent_tool_use_id: agent }: EventHead): SignalSource => ({
  ...(agent === null ? {} : { agent }),
  ...(turn === null || turn === uuid ? {} : { parent: turn }),
})

/** The JSON of an event's signal; `payload` is the JSON of its payload. */
export const signalJson = (event: EventHead, payload: string): string => {
  const source = sourceOf(event)
  const { uuid: id, name, at } = event
  const rest = { timestamp: new Date(at).toISOString(), ...(Object.keys(source).length === 0 ? {} : { source }) }
  const head = JSON.stringify({ id, name: signalName(name) })
  return `${head.slice(0, -1)},"payload":${payload},${JSON.stringify(rest).slice(1)}`
}
