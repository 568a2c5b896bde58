// The bodies of the HTTP API about reverts.
// Invariant: every text that a client sends has a bound.
import * as Schema from "effect/Schema"

const Id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))

/** `POST /v1/sessions/{id}/revert` */
export const Revert = Schema.Struct({
  messageID: Id.annotate({
    description: "A message of `GET …/messages` (`msg_…`), or the uuid of an SDK message.",
  }),
  partID: Schema.optionalKey(Id.annotate({ description: "A part of that message: its beginning stays then." })),
  rewindFiles: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Puts the files back too. Without it they stay as they are." }),
  ),
}).annotate({ identifier: "Revert" })

/** `POST /v1/sessions/{id}/unrevert` */
export const Unrevert = Schema.Struct({
  files: Schema.optionalKey(
    Schema.Literals(["restore", "keep"]).annotate({
      description:
        "What becomes of the files that the revert had put back. Without it they are restored, or the request is refused when some were changed since.",
    }),
  ),
}).annotate({ identifier: "Unrevert" })
