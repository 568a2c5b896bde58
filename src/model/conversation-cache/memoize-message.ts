// Receives a function that makes a message from another one and a text; returns it memoized.
// Invariant: the same message and text return the same object, so that requests that repeat it need not serialize it
// again.
import type { ImmutableMessage } from "./immutable-message.ts"

export const memoizeMessage = (make: (message: ImmutableMessage, text: string) => ImmutableMessage) => {
  const known = new WeakMap<ImmutableMessage, { readonly text: string; readonly made: ImmutableMessage }>()
  return (message: ImmutableMessage, text: string): ImmutableMessage => {
    const before = known.get(message)
    if (before?.text === text) return before.made
    const made = make(message, text)
    known.set(message, { text, made })
    return made
  }
}
