// The bodies of the routes that opencode's fork on the Claude Agent SDK has (`/sdk/…`), and what ids of its form mean here.
// Invariant: an id means the same session or prompt for ever: it is a hash of the tenant and the id.
import * as Schema from "effect/Schema"
import { isUuid, uuidV8 } from "../../ids.ts"
import { Variant } from "../../sdk/options/variants.ts"

const UUID_OR = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

const SessionId = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:${UUID_OR}|ses_[A-Za-z0-9]{1,64})$`), {
    message: "Expected the id of a session: a lower-case UUID, or ses_ and 1 to 64 letters and digits",
  }),
).annotate({ description: "A session's id, or an id of opencode's form, which names a session of its own." })

const MessageId = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:${UUID_OR}|msg_[A-Za-z0-9]{1,64})$`), {
    message: "Expected the id of a message: a lower-case UUID, or msg_ and 1 to 64 letters and digits",
  }),
)

/** `POST /sdk/start` */
export const SdkStart = Schema.Struct({
  prompt: Schema.String.check(Schema.isMinLength(1)),
  sessionID: SessionId,
  resume: Schema.optionalKey(
    SessionId.annotate({ description: "The session to go on with, where it must be there: `sessionID` once more." }),
  ),
  messageID: Schema.optionalKey(
    MessageId.annotate({
      description:
        "The client's own id of the prompt: one of opencode's form is that of its message, too. The same again is the same prompt.",
    }),
  ),
  variant: Schema.optionalKey(Variant),
}).annotate({ identifier: "SdkStart" })
export type SdkStart = typeof SdkStart.Type

/** `POST /sdk/interrupt` */
export const SdkInterrupt = Schema.Struct({ sessionID: SessionId }).annotate({ identifier: "SdkInterrupt" })

/** `POST /sdk/rewind` */
export const SdkRewind = Schema.Struct({
  sessionID: SessionId,
  messageID: MessageId.annotate({ description: "The prompt: as it was sent, or as `GET …/messages` shows it." }),
}).annotate({ identifier: "SdkRewind" })

/** `POST /sdk/model` */
export const SdkModel = Schema.Struct({
  sessionID: SessionId,
  model: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
}).annotate({ identifier: "SdkModel" })

/** What all of them answer. */
export const SdkOk = Schema.Struct({ ok: Schema.Literal(true) }).annotate({ identifier: "SdkOk" })

/** The session that an id means: a UUID is its own, another one the session of that name of the tenant. */
export const sessionOf = async (tenant: string, id: string): Promise<string> =>
  isUuid(id) ? id : uuidV8("opencode-session", tenant, id)

/** The turn that a prompt's id means. */
export const turnOf = async (tenant: string, session: string, id: string): Promise<string> =>
  isUuid(id) ? id : uuidV8("opencode-message", tenant, session, id)
