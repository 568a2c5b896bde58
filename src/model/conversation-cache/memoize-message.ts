// Receives a way to make a message of another one; returns it with a memory.
// Invariant: a message that is made of the same message and the same words is the same object, so that requests that
// repeat it need not write it again.
import type { Message } from "../request/message-blocks.ts"

export const remade = (make: (message: Message, words: string) => Message) => {
  const known = new WeakMap<Message, { readonly words: string; readonly made: Message }>()
  return (message: Message, words: string): Message => {
    const before = known.get(message)
    if (before?.words === words) return before.made
    const made = make(message, words)
    known.set(message, { words, made })
    return made
  }
}
