// Receives a complete message; returns it as one that caches may identify by object identity.
// Invariant: such a message is never changed in place: a changed message is another object.
import type { Message } from "../request/message-blocks.ts"

declare const immutable: unique symbol

/** A message that is never changed in place. */
export type Immutable<M extends Message> = M & { readonly [immutable]: true }
export type ImmutableMessage = Immutable<Message>

/** To be called only by code that makes the message and keeps no reference through which it could be changed. */
export const immutableMessage = <M extends Message>(message: M): Immutable<M> =>
  // The symbol exists only in the type.
  message as Immutable<M>
