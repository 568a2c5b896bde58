// The model that wrote a message, as it was requested. It is kept apart from the message, which is sent as it is.
import { heldOf } from "./held-message.ts"
import type { ImmutableMessage } from "./immutable-message.ts"

const models = new WeakMap<ImmutableMessage, string>()

/** The message, for which `modelOf` returns this model; undefined for none. */
export const writtenBy = <M extends ImmutableMessage>(message: M, model: string | undefined): M => {
  if (model !== undefined) models.set(message, model)
  return message
}

/** Undefined for messages of the user, and for answers whose model is not known. */
export const modelOf = (message: ImmutableMessage): string | undefined => heldOf(message)?.model ?? models.get(message)
