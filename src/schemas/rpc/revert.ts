// The shapes of RPC calls between the Worker and a session's Durable Object about reverts of the conversation.
import * as Schema from "effect/Schema"
import type { Actor } from "../access.ts"

/** A revert that can be undone. */
export const RevertInfo = Schema.Struct({
  messageID: Schema.String.annotate({
    description: "The first message that was reverted completely or in part.",
  }),
  partID: Schema.optionalKey(
    Schema.String.annotate({ description: "The first reverted part, when the message's start is kept." }),
  ),
  snapshot: Schema.optionalKey(
    Schema.String.annotate({ description: "The checkpoint of the files before they were restored." }),
  ),
  diff: Schema.optionalKey(
    Schema.String.annotate({ description: "The file changes of the revert, cut after 50,000 characters." }),
  ),
}).annotate({
  identifier: "RevertInfo",
  description: "Where the conversation ends now. `POST …/unrevert` undoes the revert until the next prompt.",
})
export type RevertInfo = typeof RevertInfo.Type

/**
 * A revert as the session stores it: `back_to` is the head before it, `files_after` the checkpoint of the files after it,
 * `asked` the request that made it.
 */
export const Reverted = Schema.Struct({
  ...RevertInfo.fields,
  back_to: Schema.Int,
  files_after: Schema.optionalKey(Schema.String),
  asked: Schema.optionalKey(
    Schema.Struct({
      messageID: Schema.String,
      partID: Schema.optionalKey(Schema.String),
      rewindFiles: Schema.optionalKey(Schema.Literal(true)),
    }),
  ),
})
export type Reverted = typeof Reverted.Type

export interface RevertArgs {
  readonly messageID: string
  readonly partID?: string
  readonly rewindFiles?: boolean
  readonly actor?: Actor
}

/** `files` decides about files that the revert had restored; without it they are restored unless they were changed since. */
export interface UnrevertArgs {
  readonly files?: "restore" | "keep"
  readonly actor?: Actor
}
