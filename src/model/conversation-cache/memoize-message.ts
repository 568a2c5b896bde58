// Receives a function that makes a message of another one and a text; returns it memoized.
// Invariant: the same message and the same text give the same object, so that requests that repeat it need not write it
// again.
import type { Message } from "../request/message-blocks.ts"

export const memoizeMessage = (make: (message: Message, text: string) => Message) => {
  const known = new WeakMap<Message, { readonly text: string; readonly made: Message }>()
  return (message: Message, text: string): Message => {
    const before = known.get(message)
    if (before?.text === text) return before.made
    const made = make(message, text)
    known.set(message, { text, made })
    return made
  }
}
