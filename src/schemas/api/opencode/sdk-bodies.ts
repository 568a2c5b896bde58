// The bodies of the routes of opencode's fork on the Claude Agent SDK (`/sdk/…`), and how its ids map to sessions and turns.
// Invariant: an id always maps to the same session or turn: to itself if it is a UUID, otherwise to a hash of the tenant and it.
import * as Schema from "effect/Schema"
import { isUuid, uuidV8 } from "../../ids.ts"
import { Variant } from "../../sdk/options/variants.ts"

const UUID_OR = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

const SessionId = Schema.String.check(
  Schema.isPattern(new RegExp(`^(?:${UUID_OR}|ses_[A-Za-z0-9]{1,64})$`), {
    message: "Expected the id of a session: a lower-case UUID, or ses_ and 1 to 64 letters and digits",
  }),
).annotate({ description: "A session's id, or an id in opencode's format, from which a session's id is derived." })

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
    SessionId.annotate({ description: "The session to resume, if it must exist: the same value as `sessionID`." }),
  ),
  messageID: Schema.optionalKey(
    MessageId.annotate({
      description:
        "The client's own id of the prompt. An id in opencode's format is also the id of its message. A request with the same id is the same prompt.",
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
  messageID: MessageId.annotate({ description: "The prompt's id: as it was sent, or as `GET …/messages` shows it." }),
}).annotate({ identifier: "SdkRewind" })

/** `POST /sdk/model` */
export const SdkModel = Schema.Struct({
  sessionID: SessionId,
  model: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
}).annotate({ identifier: "SdkModel" })

/** The response of all of these routes. */
export const SdkOk = Schema.Struct({ ok: Schema.Literal(true) }).annotate({ identifier: "SdkOk" })

/** The session id for an id: a UUID is itself, any other id is hashed together with the tenant. */
export const sessionOf = async (tenant: string, id: string): Promise<string> =>
  isUuid(id) ? id : uuidV8("opencode-session", tenant, id)

/** The turn id for a prompt's id: a UUID is itself, any other id is hashed together with the tenant and the session. */
export const turnOf = async (tenant: string, session: string, id: string): Promise<string> =>
  isUuid(id) ? id : uuidV8("opencode-message", tenant, session, id)
