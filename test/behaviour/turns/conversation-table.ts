// Conversations as steps: the answer to each prompt, and the earlier message from which the session continues.

export type Step =
  /**
   * A prompt, and the texts and calls of its answers: `!name` is a call of Read, and what follows it belongs to another
   * answer.
   */
  | { readonly says: ReadonlyArray<string> }
  /** Continues after the assistant message with this text, the n-th prompt, or the n-th message of results. */
  | { readonly after: string }
  | { readonly afterPrompt: number }
  | { readonly afterResult: number }

const says = (...answers: ReadonlyArray<string>): Step => ({ says: answers })
const after = (words: string): Step => ({ after: words })

export const CONVERSATIONS: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "one turn": [says("one")],
  "three turns": [says("one"), says("two"), says("three")],
  "a tool call": [says("!a", "one"), says("two")],
  "two calls in one answer": [says("look !a !b", "one")],
  "a long answer, cut in D1": [says("x".repeat(20_000)), says("two")],
  "back to the first answer, and nothing after it": [says("one"), says("two"), after("one")],
  "back to the first answer, and on": [says("one"), says("two"), after("one"), says("three")],
  "back twice": [says("one"), says("two"), says("three"), after("two"), says("four"), after("one"), says("five")],
  "back, and forward again to what was left": [
    says("one"),
    says("two"),
    says("three"),
    after("one"),
    says("four"),
    after("three"),
    says("five"),
  ],
  "forward again, and back before it": [
    says("one"),
    says("two"),
    after("one"),
    after("two"),
    after("one"),
    says("three"),
  ],
  "into a turn, between the blocks of an answer": [says("first !a !b", "second"), after("first"), says("third")],
  "into a turn, behind its first result": [says("look !a", "second !b", "third"), { afterResult: 0 }, says("fourth")],
  "into a turn, before a call's result": [says("look !a", "second"), after("!a"), says("third")],
  "to a prompt, without its answer": [says("one"), says("two"), { afterPrompt: 1 }, says("three")],
  "to the first prompt": [says("one"), says("two"), { afterPrompt: 0 }],
  "a long answer left behind": [says("one"), says("y".repeat(20_000)), after("one"), says("two")],
}
