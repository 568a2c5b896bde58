// The unions of the SDK's messages that the API's responses contain: the `result` of a turn, and any message.
// Invariant: their members are those of `SDK_MESSAGES`; clients ignore types that they don't know.
import * as Schema from "effect/Schema"
import { SDK_MESSAGES } from "./messages.ts"
import { SDKResultError, SDKResultSuccess } from "./result-messages.ts"

/** The `result` message of a turn. */
export const ResultMessage = Schema.Union([SDKResultSuccess, SDKResultError]).annotate({ identifier: "ResultMessage" })

/** Any message of the SDK. A table of schemas has no common type. */
export const SDKMessage = Schema.Union(Object.values(SDK_MESSAGES) as ReadonlyArray<Schema.Top>).annotate({
  identifier: "SDKMessage",
})
