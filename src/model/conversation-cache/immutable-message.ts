// Receives a message that was made whole; returns it as one that caches may know by its identity.
// Invariant: such a message is never changed in place: what is different is another object.
import type { Message } from "../request/message-blocks.ts"

declare const immutable: unique symbol

/** A message that nothing changes once it is made. */
export type Immutable<M extends Message> = M & { readonly [immutable]: true }
export type ImmutableMessage = Immutable<Message>

/** To be called by who makes the message and keeps no way to change it. */
export const immutableMessage = <M extends Message>(message: M): Immutable<M> =>
  // The mark is for the compiler alone.
  message as Immutable<M>
