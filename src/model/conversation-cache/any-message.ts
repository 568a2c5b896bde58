// Receives a test of messages; returns a function that tests whether any message of a conversation passes it.
// Invariant: a message that failed the test for the conversation's last request is not tested again while it is the same
// object at the same index, so that a long conversation costs no more than a short one.
import type { ImmutableMessage } from "./immutable-message.ts"

export const anyMessage = (test: (message: ImmutableMessage) => boolean) => {
  /** Messages that failed the test, by the first message of their conversation. */
  const without = new WeakMap<ImmutableMessage, ReadonlyArray<ImmutableMessage>>()
  return (messages: ReadonlyArray<ImmutableMessage>): boolean => {
    const [first] = messages
    if (first === undefined) return false
    const before = without.get(first) ?? []
    if (messages.some((message, index) => message !== before[index] && test(message))) return true
    without.set(first, messages)
    return false
  }
}
