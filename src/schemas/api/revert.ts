// The bodies of the HTTP API about reverts.
// Invariant: every text that a client sends has a bound.
import * as Schema from "effect/Schema"

const Id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))

/** `POST /v1/sessions/{id}/revert` */
export const Revert = Schema.Struct({
  messageID: Id.annotate({
    description: "A message of `GET …/messages` (`msg_…`), or the uuid of an SDK message.",
  }),
  partID: Schema.optionalKey(Id.annotate({ description: "A part of that message: the parts before it are kept." })),
  rewindFiles: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Restores the files too. Without it they are not changed." }),
  ),
}).annotate({ identifier: "Revert" })

/** `POST /v1/sessions/{id}/unrevert` */
export const Unrevert = Schema.Struct({
  files: Schema.optionalKey(
    Schema.Literals(["restore", "keep"]).annotate({
      description:
        "What to do with the files that the revert had changed. Without it they are restored, or the request is refused when some were changed since.",
    }),
  ),
}).annotate({ identifier: "Unrevert" })
