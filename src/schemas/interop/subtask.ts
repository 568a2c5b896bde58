// A subtask, which is routed to the full agent or to the minimal one.
import * as Schema from "effect/Schema"

const opt = Schema.optionalKey
const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100_000))

/** Labels force a route where the configuration names them. */
export const Subtask = Schema.Struct({
  id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  description: Text,
  labels: opt(Schema.Array(Schema.String.check(Schema.isMaxLength(200))).check(Schema.isMaxLength(100))),
}).annotate({ identifier: "Subtask" })
export type Subtask = typeof Subtask.Type
